import type { MemberActor } from '../access/actor.ts';
import type { Permission } from '../access/permissions.ts';
import type { Context, ReadContext } from '../context.ts';
import type { Sql } from '../db/sql.ts';
import type { FormBody } from '../http/body/form.ts';
import type { Upload } from '../http/body/spool.ts';
import type { IdPrefix } from '../ids.ts';
import type { Presence } from '../members/presence.ts';
import type { Format } from '../pages/format.ts';
import type { Html } from '../pages/html.ts';
import type { Language } from '../pages/language.ts';
import type { Tone } from '../pages/parts.ts';
import type { Session } from '../people/sessions.ts';
import type { ConsoleParts } from './deps.ts';

/** What one page leaves for the next: a sentence, and things that are shown only once. */
export interface Flash {
  readonly text: string;
  readonly tone?: Tone;
  /** A new key, a new secret. */
  readonly once?: Readonly<Record<string, string>>;
}

/** What one request of the console knows. */
export interface Page<C extends ReadContext = ReadContext> {
  readonly parts: ConsoleParts;
  readonly session: Session;
  readonly ctx: C & { readonly actor: MemberActor };
  readonly lang: Language;
  readonly format: Format;
  readonly workspace: { readonly name: string; readonly timeZone: string };
  /** `/console/<organizationId>`, with which every address of the workspace's pages begins. */
  readonly base: string;
  /** The page's own address, to which its forms are sent. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The state that the browser shows, when a part of the page asks again: see `asksAgain`. "" beside a refused form. */
  readonly seen: string | null;
  /** Whether a form stands open there, if the part tells: see `TELLS_OPEN_FORMS`. */
  readonly hasOpenForm: boolean;
  /** Decides what is shown; the same permission is enforced on use. */
  readonly may: (permission: Permission) => boolean;
  /** Of a reader to whom conversations may be given; null for others, and while a form is performed. */
  readonly presence: Presence | null;
  /** Left by the action just performed. */
  readonly flash: Flash | null;
  /** The refused form, and the reasons by field ("" for those without a field). Empty otherwise. */
  readonly sent: FormBody;
  readonly problems: ReadonlyMap<string, string>;
  /** The reasons with the places within their fields: `rules.all[1].op`. */
  readonly faults: readonly Fault[];
  /** What an action returned for this same page, such as a preview. */
  readonly answer: Html | null;
  /** The file from a form. */
  readonly file: Upload | null;
  /** Of this one showing of the page; its forms carry it, so that one sent twice is known. */
  readonly showing: string;
}

/** The name of the hidden field that carries `showing`. */
export const SHOWING_FIELD = '_showing';

/** A problem in the reader's language, and its place in what was sent; "" for none in particular. */
export interface Fault {
  readonly path: string;
  /** Of the form, where it is shown. */
  readonly field: string;
  readonly text: string;
  /** What a refusal of the whole tells besides, such as whose the phone is. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface View {
  readonly title: string;
  readonly content: Html;
  /** Whether parts of the page refresh themselves, by htmx. */
  readonly live?: boolean;
  /** The record's state, if buttons depend on it: see `asksAgain`. */
  readonly state?: string;
}

/** A file instead of a page. */
export interface PageFile {
  readonly name: string;
  /** Its media type; CSV by default. */
  readonly type?: string;
  /** In bytes, if it is known beforehand: a browser then notices one that broke off. */
  readonly size?: number;
  /**
   * @param read runs short transactions of the workspace; nothing is held between two pieces
   */
  readonly pieces: (
    read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  ) => AsyncIterable<string | Uint8Array>;
}

/** Where the browser goes after an action. */
export interface Done {
  /** Below `/console/<organizationId>`; null for somebody who has just left the workspace. */
  readonly to: string | null;
  readonly flash?: Flash;
}

/** The page shown again as it was sent, with a result. Nothing was changed, unless a part of the page asked: see `answersIn`. */
export interface Answer {
  readonly answer: Html | null;
}

/** What a form does, in its own transaction. */
export type Action = AnyAction | OnceAction;

interface AnyAction extends ActionRules {
  readonly run: (page: Page<Context>) => Promise<Done | Answer>;
  readonly once?: false;
}

/** One whose form may arrive twice, by a double click, and which must not be performed twice. */
export interface OnceAction extends ActionRules {
  readonly run: (page: Page<Context>) => Promise<Done>;
  /** True if all it does is in the transaction of `page.ctx`; `apart` if it has several, or mails. */
  readonly once: true | 'apart';
}

interface ActionRules {
  /** Null if the service itself decides. */
  readonly permission: Permission | null;
  /**
   * The form field to which a problem belongs, by the operation's field or by the error's code, if the form has no
   * field of that name.
   */
  readonly problemsAt?: Readonly<Record<string, string>>;
}

export const GROUPS = ['work', 'developers', 'workspace'] as const;

/** A page as a value: its address, who may see it, what it shows and what its forms do. */
export interface ConsolePage {
  /** Below `/console/<organizationId>`: `/webhooks/:id`, or "" for the first page. */
  readonly path: string;
  /** Null for everyone in the workspace. */
  readonly permission: Permission | null;
  /** The kinds of records that `:id` and `:part` name; other shapes are answered 404. */
  readonly id?: IdPrefix;
  readonly part?: IdPrefix;
  /** Its place in the navigation; absent for pages reached from others. */
  readonly nav?: {
    readonly group: (typeof GROUPS)[number];
    readonly name: (lang: Language) => string;
  };
  readonly view: (page: Page) => Promise<View | PageFile>;
  /** Its form has a file in the part `file`, of this size at most, from people with this permission. */
  readonly upload?: { readonly maxBytes: number; readonly permission: Permission };
  /** What its forms do, by their field `action`. */
  readonly actions?: Readonly<Record<string, Action>>;
}

/** The record that the page is about; "" if there is none. */
export const idOf = ({ params }: Pick<Page, 'params'>): string => params['id'] ?? '';

/** The second record in its address. */
export const partOf = ({ params }: Pick<Page, 'params'>): string => params['part'] ?? '';

/** The first value of a field in the submitted form. Browsers send CRLF, and the API's texts have LF. */
export const field = ({ sent }: Pick<Page, 'sent'>, name: string): string =>
  (sent.get(name)?.[0] ?? '').replaceAll('\r\n', '\n');

/** All values of a field, such as several boxes of one name. */
export const allOf = ({ sent }: Pick<Page, 'sent'>, name: string): readonly string[] =>
  sent.get(name) ?? [];

/**
 * Whether this form was refused; it is then shown open, with what was sent.
 *
 * @param row for forms repeated in each row of a list: the record, which the hidden field `id` names
 */
export const wasRefused = (
  page: Pick<Page, 'sent' | 'problems'>,
  action: string,
  row = '',
): boolean =>
  page.problems.size > 0 && allOf(page, 'action').at(-1) === action && field(page, 'id') === row;
