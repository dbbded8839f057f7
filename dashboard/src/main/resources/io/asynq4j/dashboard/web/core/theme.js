// Runs before the first paint, so that a chosen theme does not flash. Not a module: modules run later.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem('asynq') ?? '{}').theme;
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // No storage, no choice.
  }
})();
