// Applies the theme before the first paint. This is not a module, because modules run later.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem('asynq') ?? '{}').theme;
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // Without local storage the system theme applies.
  }
})();
