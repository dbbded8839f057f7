// Readable numbers, sizes, durations and times.

import {pref} from './prefs.js';

const number = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', {notation: 'compact', maximumFractionDigits: 1});

export const count = (n) => (n === null || n === undefined ? '–' : number.format(n));

/** Numbers from 100,000 are abbreviated. */
export const compact = (n) => (n === null || n === undefined ? '–' : Math.abs(n) < 100_000 ? number.format(n) : short.format(n));

export const rate = (n) => (n === null || n === undefined ? '–' : n >= 100 ? compact(Math.round(n)) : n === 0 ? '0' : n.toFixed(n < 10 ? 2 : 1));

export const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(part === 0 || part === whole ? 0 : 1)}%` : '–');

export function bytes(n) {
  if (n === null || n === undefined) {
    return '–';
  }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = Number(n);
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A phrase of the API as a sentence. */
export const sentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

/** The largest units, for example 1h 2m. */
export function duration(ms, mostUnits = 2) {
  if (ms === null || ms === undefined) {
    return '–';
  }
  if (ms < 1_000) {
    return `${ms > 0 && ms < 10 ? Number(ms.toFixed(1)) : Math.max(0, Math.round(ms))}ms`;
  }
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 10 && ms % 1_000 !== 0) {
    return `${(ms / 1_000).toFixed(1)}s`;
  }
  const parts = [['d', 86_400], ['h', 3_600], ['m', 60], ['s', 1]];
  let rest = seconds;
  const texts = [];
  for (const [unit, size] of parts) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) {
      texts.push(`${n}${unit}`);
    }
    if (texts.length === mostUnits) {
      break;
    }
  }
  return texts.join(' ') || '0s';
}

const pad = (n) => String(n).padStart(2, '0');

export const utc = (date) => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const local = (date) =>
  `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock(date)}`;

export const clock = (date, withSeconds = true) =>
  pref('time') === 'utc'
    ? date.toISOString().slice(11, withSeconds ? 19 : 16)
    : `${pad(date.getHours())}:${pad(date.getMinutes())}${withSeconds ? ':' + pad(date.getSeconds()) : ''}`;

export function relative(date, now = Date.now()) {
  const ms = date.getTime() - now;
  if (Math.abs(ms) < 1_000) {
    return 'now';
  }
  const text = duration(Math.floor(Math.abs(ms) / 1_000) * 1_000);
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

/** A time in the format that is chosen in the settings. */
export function moment(iso) {
  const date = new Date(iso);
  switch (pref('time')) {
    case 'utc':
      return utc(date);
    case 'local':
      return local(date);
    default:
      return relative(date);
  }
}

/** A time in all formats, for the tooltip. */
export function momentTitle(iso) {
  const date = new Date(iso);
  return `${local(date)} local · ${utc(date)} · ${relative(date)}`;
}

export const shortId = (id) => (id.length > 13 && /^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id.length > 28 ? id.slice(0, 26) + '…' : id);

export const plural = (n, one, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;

/** A value in the query language. */
export const quoted = (text) => (/^[\w:./@+-]+$/.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`);
