import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** A W3C `traceparent`, as rows and Temporal's headers carry it: which trace, and whose work it goes on with. */
export type Traceparent = string | null;

export interface SpanOptions {
  /** Whose work this is. One is the parent, several are linked to; left out, what is being done here anyway. */
  readonly causes?: readonly Traceparent[];
  /** Somebody else's trace: linked to, never gone on with. */
  readonly elsewhere?: string | undefined;
  readonly kind?: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  /** Ids, counts and codes: no text, name, phone or address. */
  readonly attributes?: Attributes;
}

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

let on = false;

/** For `startTracing`: without it nothing below does anything, nor costs more than a look at this. */
export function switchTracing(to: 'on' | 'off'): void {
  on = to === 'on';
}

/** Does `work` as a span of its own. What is thrown passes; the span has its class and no word of it. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (!on) return work(null);
  const { causes, elsewhere, kind, attributes = {} } = options;
  const known = [...new Set(causes?.filter((cause) => cause !== null))];
  const only = known.length === 1 ? known[0] : undefined;
  const linked = [...(only ? [] : known), ...(elsewhere ? [elsewhere] : [])];
  const asked = {
    attributes,
    links: linked.flatMap(linkTo),
    kind: kind ? SpanKind[kind] : SpanKind.INTERNAL,
  };
  const from = causes ? contextOf(only) : context.active();
  const run = async (span: Span): Promise<T> => {
    try {
      return await work(span);
    } catch (error) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: error instanceof Error ? error.name : 'error',
      });
      throw error;
    } finally {
      span.end();
    }
  };
  return trace.getTracer('workspace-messaging').startActiveSpan(name, asked, from, run);
}

/** What rows and headers written now are to carry; null outside of a span, or while tracing is off. */
export function traceparent(): Traceparent {
  if (!on) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Does `work` on behalf of whoever `cause` names, or of nobody, without a span of its own. */
export const onBehalfOf = <T>(cause: Traceparent, work: () => T): T =>
  on ? context.with(contextOf(cause ?? undefined), work) : work();

/** What a transaction begins with, so that the rows it makes carry the trace: see the migration 0053. */
export function traceSetting(): string {
  const now = traceparent();
  return now ? `; set local app.trace = '${now}'` : '';
}

function contextOf(cause: string | undefined): Context {
  if (cause === undefined || !TRACEPARENT.test(cause)) return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, { traceparent: cause });
}

function linkTo(cause: string) {
  const there = trace.getSpanContext(contextOf(cause));
  return there ? [{ context: there }] : [];
}
