/** What a browser is given; `location` is where it leads, by a redirect or by the page itself, "" when nowhere. */
interface Arrived {
  readonly status: number;
  readonly location: string;
  readonly html: string;
  readonly headers: Headers;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form, sent as by a page of the same site. */
  readonly fields?: Readonly<Record<string, string>>;
}

const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
};

/** What a form on the page sends without being asked. */
export const hiddenIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );

const leadingOn = (html: string): string =>
  /<meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(html)?.[1] ?? '';

/** A person's browser without a window: keeps cookies by their paths, and follows nothing by itself. */
export class CookieBrowser {
  readonly #jar = new Map<string, { value: string; path: string }>();

  /** @param cookie one that it has already, `name=value` */
  constructor(cookie = '') {
    if (cookie) this.#keep(cookie);
  }

  async fetch(
    address: string | URL,
    { fields, headers, method = fields ? 'POST' : 'GET' }: Sent = {},
  ): Promise<Response> {
    const url = new URL(address);
    const cookies = [...this.#jar]
      .filter(([, { path }]) => url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`);
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html',
        cookie: cookies.join('; '),
        ...(fields ? FORM : {}),
        ...headers,
      },
      ...(fields ? { body: new URLSearchParams(fields).toString() } : {}),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  async go(
    address: string,
    fields?: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Arrived> {
    const response = await this.fetch(address, { headers, ...(fields ? { fields } : {}) });
    const html = await response.text();
    const location = response.headers.get('location') ?? leadingOn(html);
    return { status: response.status, location, html, headers: response.headers };
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(/; ?/);
    const [name = '', ...value] = pair.split('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    if (/expires=Thu, 01 Jan 1970|max-age=0/i.test(line)) this.#jar.delete(name);
    else this.#jar.set(name, { value: value.join('='), path });
  }
}
