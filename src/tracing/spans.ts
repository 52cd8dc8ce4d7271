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

/** A W3C `traceparent`, as rows and Temporal's headers carry it: the trace, and the span to continue. */
export type Traceparent = string | null;

export interface SpanOptions {
  /**
   * The traces that caused this work. A single one becomes the parent, several are linked; by default the current
   * one.
   */
  readonly causes?: readonly Traceparent[];
  /** Someone else's trace: linked, never continued. */
  readonly elsewhere?: string | undefined;
  readonly kind?: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  /** Ids, counts and codes; no text, names, phones or addresses. */
  readonly attributes?: Attributes;
}

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

let on = false;

/** For `startTracing`. While it is off, nothing below does anything, or costs more than checking this. */
export function switchTracing(to: 'on' | 'off'): void {
  on = to === 'on';
}

/** Runs `work` in its own span. Exceptions pass through; the span records their class but not their message. */
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

/** What rows and headers written now should carry; null outside a span, or while tracing is off. */
export function traceparent(): Traceparent {
  if (!on) return null;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent ?? null;
}

/** Runs `work` in the trace that `cause` names, or in none, without its own span. */
export const onBehalfOf = <T>(cause: Traceparent, work: () => T): T =>
  on ? context.with(contextOf(cause ?? undefined), work) : work();

/** Set at the start of a transaction, so that the rows it creates carry the trace (migration 0053). */
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
