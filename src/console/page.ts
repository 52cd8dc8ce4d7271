import type { MemberActor } from '../access/actor.ts';
import type { Permission } from '../access/permissions.ts';
import type { Context, ReadContext } from '../context.ts';
import type { Sql } from '../db/sql.ts';
import type { FormBody } from '../http/body/form.ts';
import type { Upload } from '../http/body/spool.ts';
import type { IdPrefix } from '../ids.ts';
import type { Format } from '../pages/format.ts';
import type { Html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import type { Session } from '../people/sessions.ts';
import type { Flash } from './flash.ts';
import type { ConsoleParts } from './mount.ts';

/** What one request of the console knows. */
export interface Page<C extends ReadContext = ReadContext> {
  readonly parts: ConsoleParts;
  readonly session: Session;
  readonly ctx: C & { readonly actor: MemberActor };
  readonly lang: Language;
  readonly format: Format;
  readonly workspace: { readonly name: string; readonly timeZone: string };
  /** `/console/<organizationId>`: every address of the workspace's pages begins with it. */
  readonly base: string;
  /** The page's own address, to which its forms go. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What is not allowed is not shown; the same permission refuses it. */
  readonly may: (permission: Permission) => boolean;
  /** Left by what was done just before. */
  readonly flash: Flash | null;
  /** The form that was refused, and why by field; "" is for what belongs to none. Empty otherwise. */
  readonly sent: FormBody;
  readonly problems: ReadonlyMap<string, string>;
  /** The same with all that is wrong inside a field: `rules.all[1].op`. */
  readonly faults: readonly Fault[];
  /** What an action found for this same page, such as a preview of what was written. */
  readonly answer: Html | null;
  /** What a form with a file brought. */
  readonly file: Upload | null;
}

/** What is wrong, in the reader's language, and where in what was sent; "" is nowhere in particular. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

export interface View {
  readonly title: string;
  readonly content: Html;
  /** Parts of the page ask for themselves again, by htmx. */
  readonly live?: boolean;
  /** How the record stands, where buttons depend on it: see `asksAgain`. */
  readonly state?: string;
}

/** A file in place of a page. */
export interface CsvFile {
  readonly name: string;
  /** Its media type; CSV when left out. */
  readonly type?: string;
  /** @param read runs short transactions of the workspace: nothing is held between two pieces */
  readonly csv: (read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>) => AsyncIterable<string>;
}

/** Where the browser goes once something was done. */
export interface Done {
  /** Below `/console/<organizationId>`. */
  readonly to: string;
  readonly flash?: Flash;
}

/** The page again as it was sent, with what was asked for: nothing was changed. */
export interface Answer {
  readonly answer: Html | null;
}

/** What a form does, in a transaction of its own. */
export interface Action {
  /** Null where the service itself decides. */
  readonly permission: Permission | null;
  readonly run: (page: Page<Context>) => Promise<Done | Answer>;
  /**
   * Which field of the form a problem belongs to, by the operation's own field or by the code of the error, where the
   * form has no field of that name.
   */
  readonly problemsAt?: Readonly<Record<string, string>>;
}

export const GROUPS = ['work', 'developers', 'workspace'] as const;

/** A page as a value: its address, who may see it, what it shows and what its forms do. */
export interface ConsolePage {
  /** Below `/console/<organizationId>`: `/webhooks/:id`, or "" for the first page. */
  readonly path: string;
  /** Null: everybody of the workspace. */
  readonly permission: Permission | null;
  /** Of which record `:id` and `:part` are: other shapes are answered 404. */
  readonly id?: IdPrefix;
  readonly part?: IdPrefix;
  /** Its place in the navigation; absent for what is reached from another page. */
  readonly nav?: {
    readonly group: (typeof GROUPS)[number];
    readonly name: Readonly<Record<Language, string>>;
  };
  readonly view: (page: Page) => Promise<View | CsvFile>;
  /** Its form has a file, in the part `file`: of so many bytes, from people with this permission. */
  readonly upload?: { readonly maxBytes: number; readonly permission: Permission };
  /** What its forms do, by their field `action`. */
  readonly actions?: Readonly<Record<string, Action>>;
}

/** Of which record the page is; "" for a page of none. */
export const idOf = ({ params }: Pick<Page, 'params'>): string => params['id'] ?? '';

/** The second record of its address. */
export const partOf = ({ params }: Pick<Page, 'params'>): string => params['part'] ?? '';

/** The first value of a field of the form that was sent. */
export const field = ({ sent }: Pick<Page, 'sent'>, name: string): string =>
  sent.get(name)?.[0] ?? '';

/** All values of a field, as of several boxes with one name. */
export const allOf = ({ sent }: Pick<Page, 'sent'>, name: string): readonly string[] =>
  sent.get(name) ?? [];

/**
 * Whether it is this form that was refused: it stands open then, with what was sent.
 *
 * @param row of a form that each row of a list has: the record, which its hidden field `id` names
 */
export const wasRefused = (
  page: Pick<Page, 'sent' | 'problems'>,
  action: string,
  row = '',
): boolean =>
  page.problems.size > 0 && allOf(page, 'action').at(-1) === action && field(page, 'id') === row;
