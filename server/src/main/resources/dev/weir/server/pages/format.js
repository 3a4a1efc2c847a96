// Numbers, times and names as people read them.
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const FEW = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const NONE = '–';

export const known = value => value !== null && value !== undefined && !Number.isNaN(value);

/** A count in full: 40,120. */
export const count = value => (known(value) ? WHOLE.format(value) : NONE);

/** The numbers of a text, such as the limit `5000 per 1s`, as `count` writes them. */
export const counts = text => String(text ?? '').replace(/\d{4,}/g, digits => count(Number(digits)));

/** A number in little space: 0.4, 12, 4.1k, 1.2M. One that is not nothing never reads 0. */
export function short(value) {
  if (!known(value)) return NONE;
  const size = Math.abs(value);
  if (size > 0 && size < 0.05) return '< 0.1';
  if (size >= 1e9) return `${FEW.format(value / 1e9)}G`;
  if (size >= 1e6) return `${FEW.format(value / 1e6)}M`;
  if (size >= 1e4) return `${FEW.format(value / 1e3)}k`;
  return size >= 10 || Number.isInteger(value) ? WHOLE.format(value) : FEW.format(value);
}

export const perSecond = value => (known(value) ? `${short(value)}/s` : NONE);

/** A share as a percentage; a share that is not nothing never reads 0 %. */
export function share(value) {
  if (!known(value)) return NONE;
  const percent = value * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent >= 10 ? WHOLE.format(percent) : FEW.format(percent)} %`;
}

export function micros(value) {
  if (!known(value) || value < 0) return NONE;
  if (value >= 1e6) return `${FEW.format(value / 1e6)} s`;
  return value >= 1000 ? `${FEW.format(value / 1000)} ms` : `${WHOLE.format(value)} µs`;
}

/** A time span: 0.6 s, 40 s, 12 min, 3 h 20 min, 5 d. */
export function span(seconds) {
  if (!known(seconds)) return NONE;
  const size = Math.max(0, seconds);
  if (size < 10) return `${FEW.format(size)} s`;
  if (size < 100) return `${Math.round(size)} s`;
  if (size < 5400) return `${Math.round(size / 60)} min`;
  if (size < 48 * 3600) {
    const hours = Math.floor(size / 3600);
    const minutes = Math.round((size % 3600) / 60);
    return minutes && hours < 10 ? `${hours} h ${minutes} min` : `${hours} h`;
  }
  return `${Math.round(size / 86400)} d`;
}

const pad = number => String(number).padStart(2, '0');
const date = value => new Date(typeof value === 'number' ? value * 1000 : value);

/** The time of day, 14:03:09. Takes seconds since the epoch, or a text as the API writes it. */
export function clock(value) {
  if (!known(value)) return NONE;
  const at = date(value);
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

/** Day and time, without the day if that is today. */
export function moment(value) {
  if (!known(value)) return NONE;
  const at = date(value);
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return at.toDateString() === new Date().toDateString() ? clock(value) : `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}`;
}

export const seconds = value => date(value).getTime() / 1000;
export const since = value => (known(value) ? span(Date.now() / 1000 - seconds(value)) : NONE);

// Letters that cannot be seen, or that turn the writing of what stands beside them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text of a stranger: characters that cannot be seen are spelled out. */
export const visible = text => String(text).replace(UNSEEN, each => `\u2039U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u203a`);
