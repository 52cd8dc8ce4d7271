/** What WhatsApp takes of a message, in code points: of a text, of a file's caption, of a parameter of a template. */
export const LONGEST = { text: 4_096, caption: 1_024, parameter: 1_024 } as const;

const NUL = '\u0000';

/** At most so many code points, and nothing that PostgreSQL does not keep. */
export function truncate(text: string, longest: number): string {
  const kept = text.replaceAll(NUL, '').toWellFormed();
  return kept.length <= longest ? kept : [...kept].slice(0, longest).join('');
}
