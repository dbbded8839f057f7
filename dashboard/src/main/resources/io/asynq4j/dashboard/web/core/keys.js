// Keyboard shortcuts: "/" to search, "g" and a letter to open a page, "?" for help.

export const PLACES = [
  ['o', '/', 'Overview'],
  ['q', '/queues', 'Queues'],
  ['f', '/failures', 'Failures'],
  ['s', '/search', 'Search'],
  ['v', '/servers', 'Servers'],
  ['c', '/schedules', 'Schedules'],
  ['m', '/metrics', 'Metrics'],
  ['r', '/redis', 'Redis'],
  ['j', '/jobs', 'Jobs'],
  ['a', '/audit', 'Audit'],
  ['e', '/enqueue', 'Enqueue'],
  [',', '/settings', 'Settings'],
];

const WAIT_MS = 1_500;

const isTyping = (event) =>
  event.target.closest?.('input, textarea, select, [contenteditable]') || event.ctrlKey || event.metaKey || event.altKey;

/** @param what {search, goTo(path), help} */
export function listen(what) {
  let wentAt = 0;
  addEventListener('keydown', (event) => {
    if (isTyping(event) || document.querySelector('dialog[open]')) {
      return;
    }
    const isSecond = performance.now() - wentAt < WAIT_MS;
    wentAt = 0;
    const place = isSecond && PLACES.find(([key]) => key === event.key);
    if (place) {
      what.goTo(place[1]);
    } else if (event.key === 'g') {
      wentAt = performance.now();
      return;
    } else if (event.key === '/') {
      what.search();
    } else if (event.key === '?') {
      what.help();
    } else {
      return;
    }
    event.preventDefault();
  });
}
