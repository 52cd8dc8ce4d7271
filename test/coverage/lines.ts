import type { ErrorCode } from '../../src/errors.ts';

/** A test by its file below `test/` without `.test.ts`, and its title, behind a block's where that is needed. */
export interface Proof {
  readonly file: string;
  readonly test: string;
}

/** One line of the specification or of the design decisions, and the tests that prove it. */
export interface Line {
  readonly line: string;
  readonly proofs: readonly Proof[];
  /** The line is about this route of the table: `GET /v1/reminders/{id}`. */
  readonly route?: string;
  /** What the specification says of the route's access. */
  readonly access?: Access;
  /** The line is about this error code. */
  readonly code?: ErrorCode;
}

interface Access {
  readonly scope: string;
  /** True where an API key is answered 403. */
  readonly oauthOnly?: boolean;
}

export interface Section {
  readonly title: string;
  /** Where the lines are written. */
  readonly source: string;
  readonly lines: readonly Line[];
}

/** Something the specification or the decisions name that is built later. */
export interface LaterLine {
  readonly line: string;
  readonly subject: string;
  /** The routes that will exist; a line whose route exists belongs into a section with proofs. */
  readonly routes?: readonly string[];
}

/** Tests of one file. */
export const by = (file: string, ...tests: readonly string[]): Proof[] =>
  tests.map((test) => ({ file, test }));

export const line = (text: string, ...proofs: readonly (readonly Proof[])[]): Line => ({
  line: text,
  proofs: proofs.flat(),
});

/** `GET /v1/reminders`, its scope, and what else the specification's row says. */
export function endpoint(
  route: string,
  scope: string,
  says: string,
  ...proofs: readonly (readonly Proof[])[]
): Line {
  return {
    line: `\`${route}\`, ${scope}: ${says}`,
    route,
    access: { scope },
    proofs: proofs.flat(),
  };
}

export function oauthEndpoint(
  route: string,
  scope: string,
  says: string,
  ...proofs: readonly (readonly Proof[])[]
): Line {
  const text = `\`${route}\`, ${scope} by an OAuth token only: ${says}`;
  return { line: text, route, access: { scope, oauthOnly: true }, proofs: proofs.flat() };
}

/** An error code, its status, and when it comes. */
export const failure = (
  code: ErrorCode,
  status: number,
  when: string,
  ...proofs: readonly (readonly Proof[])[]
): Line => ({ line: `${status} \`${code}\`: ${when}`, code, proofs: proofs.flat() });
