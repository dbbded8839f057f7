import {toast} from '../parts/toasts.js';

/** Also where the browser gives no clipboard, as it does over plain HTTP. */
export async function copy(text, what = 'Copied') {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
    } else {
      copyBySelection(text);
    }
    toast('good', what);
  } catch {
    toast('bad', 'Nothing was copied', 'The browser does not allow it here.');
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
