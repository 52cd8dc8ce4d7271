import type { Language } from './language.ts';

/** Formats numbers and times for one reader. */
export interface Format {
  /** 1,250 */
  number(value: number): string;
  /** 98.5% for 0.985 */
  percent(share: number): string;
  /** Nov 21, 2026, 9:30 AM */
  time(at: Date | string): string;
  /** Nov 21, 2026, 9:30:15 AM */
  moment(at: Date | string): string;
  /** Nov 21, 2026 */
  day(at: Date | string): string;
  /** Nov 21, 2026, for `2026-11-21`: a day of the calendar, which is in no time zone. */
  date(day: string): string;
  /** November 21, for such a day without its year. */
  birthday(day: string): string;
  /** Monday for 1, Sunday for 7 (ISO 8601) */
  weekday(day: number): string;
  /** 84 ms, 2.5 s */
  duration(ms: number): string;
}

const made = new Map<string, Format>();

/**
 * @param timeZone the workspace's, IANA
 */
export function formatFor(lang: Language, timeZone: string): Format {
  const key = `${lang} ${timeZone}`;
  const known = made.get(key);
  if (known) return known;
  const format = create(lang, timeZone);
  made.set(key, format);
  return format;
}

/** Cached per language and zone, because creating `Intl` formatters costs more than a page. */
function create(lang: Language, timeZone: string): Format {
  const time = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const moment = new Intl.DateTimeFormat(lang, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    timeZone,
  });
  const day = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone });
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeZone: 'UTC' });
  const birthday = new Intl.DateTimeFormat(lang, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });
  const weekday = new Intl.DateTimeFormat(lang, { weekday: 'long', timeZone: 'UTC' });
  const plain = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
  const share = new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 });
  return {
    number: (value) => plain.format(value),
    percent: (value) => share.format(value),
    time: (at) => time.format(new Date(at)),
    moment: (at) => moment.format(new Date(at)),
    day: (at) => day.format(new Date(at)),
    date: (text) => date.format(new Date(text)),
    birthday: (text) => birthday.format(new Date(text)),
    // The first day of 2024 was a Monday.
    weekday: (n) => weekday.format(Date.UTC(2024, 0, n)),
    duration: (ms) => (ms < 1_000 ? `${Math.round(ms)} ms` : `${plain.format(ms / 1_000)} s`),
  };
}
