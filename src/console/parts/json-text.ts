import { AppError, validation } from '../../errors.ts';
import { parseObject } from '../../http/body/json.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { field, type Page } from '../page.ts';

/** Formatted for reading and editing. */
export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

interface NoJson {
  readonly known: (place: string) => string;
  readonly line: string;
  readonly unknown: string;
}

const NO_JSON: Dictionary<NoJson> = {
  en: {
    known: (place) => `This is not JSON. Look at: ${place}`,
    line: 'line',
    unknown: 'This is not JSON: something is missing at its end.',
  },
  'pt-BR': {
    known: (place) => `Isto não é JSON. Veja: ${place}`,
    line: 'linha',
    unknown: 'Isto não é JSON: falta algo no fim.',
  },
};

/** The JSON in a form field, parsed as strictly as a request body. Throws 422 naming the field. */
export function readJson(page: Pick<Page, 'sent' | 'lang'>, name: string): unknown {
  const text = field(page, name);
  try {
    JSON.parse(text);
    return parseObject(Buffer.from(`{"${name}":${text}}`))[name];
  } catch (error) {
    throw refusal(error, page, name);
  }
}

function refusal(error: unknown, { lang }: Pick<Page, 'lang'>, name: string): unknown {
  if (error instanceof SyntaxError)
    return validation([{ path: name, rule: 'json', message: whereOf(error, NO_JSON[lang]) }]);
  if (!(error instanceof AppError)) return error;
  const { message, details = {} } = error;
  const path = 'path' in details ? String(details.path) : name;
  return validation([{ path, rule: 'format', message }]);
}

/** The parser names a line, or the text around what it did not expect. */
function whereOf({ message }: SyntaxError, { known, line, unknown }: NoJson): string {
  const [, number] = /\(line (\d+)/.exec(message) ?? [];
  if (number) return known(`${line} ${number}`);
  const [, piece] = /"([\s\S]*)"(?:\.\.\.)? is not valid JSON$/.exec(message) ?? [];
  return piece ? known(piece.replaceAll(/\s+/g, ' ')) : unknown;
}

/** All problems within a field, each with its place; undefined if there are none. */
export function faultsIn({ faults }: Pick<Page, 'faults'>, name: string): Html | undefined {
  const inside = faults.filter(
    ({ path }) => path.startsWith(name) && /^([[.]|$)/.test(path.slice(name.length)),
  );
  if (inside.length === 0) return undefined;
  return html`${inside.map(({ path, text }, i) => {
    const place = path.slice(name.length).replace(/^\./, '');
    return html`${i > 0 ? html`<br>` : null}${place ? html`<code>${place}</code>: ` : null}${text}`;
  })}`;
}
