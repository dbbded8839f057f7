import {toast} from '../parts/toasts.js';

/** Copies text. Falls back to a selection where the clipboard API is unavailable, for example over plain HTTP. */
export async function copy(text, what = 'Copied') {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
    } else {
      copyBySelection(text);
    }
    toast('good', what);
  } catch {
    toast('bad', 'Copy failed', 'The browser does not allow access to the clipboard on this page.');
  }
}

function copyBySelection(text) {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'offscreen';
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone) {
    throw new Error('refused');
  }
}
