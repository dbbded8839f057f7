package io.asynq4j.spring.boot.test;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Why tasks may be missing in a test: its transaction has not been committed. */
final class TransactionHint {

  private static final boolean HAS_TRANSACTIONS =
      ClassUtils.isPresent(
          "org.springframework.transaction.support.TransactionSynchronizationManager",
          TransactionHint.class.getClassLoader());

  private TransactionHint() {}

  static String text() {
    return HAS_TRANSACTIONS && TransactionSynchronizationManager.isActualTransactionActive()
        ? "The transaction of this test is active: tasks that are enqueued after its commit are not there yet."
            + " Commit with TestTransaction.flagForCommit() and TestTransaction.end() before the assertion"
        : "";
  }
}
