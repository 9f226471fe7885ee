import type { CallTracing, Clock, Logger, SpanAttributes } from '@jackfield/ports';
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';

export interface CallTracingOptions {
  /** The URL of the receiver, such as http://127.0.0.1:4318; spans go to /v1/traces below it (OTLP over HTTP with JSON). */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Attributes of this process: service.name, service.version, service.instance.id. */
  readonly resource: SpanAttributes;
  readonly clock: Pick<Clock, 'now' | 'wallNow' | 'startTimer'>;
  readonly log: Pick<Logger, 'warn'>;
}

interface TracedCall {
  readonly span: Span;
  readonly context: Context;
  readonly parts: Map<string, Span>;
}

/** How long an ended call is remembered: callbacks about the end follow within this time, except for their last retries. */
const rememberedMs = 60_000;
/** Limits for spans that wait for an unreachable receiver; further ones are dropped. */
const queue = { maxQueueSize: 8_192, maxExportBatchSize: 512, scheduledDelayMillis: 2_000 };
const exportMs = 5_000;
/** An unreachable receiver is logged once in this time. */
const warnEveryMs = 60_000;

/** Spans of calls by OpenTelemetry: one for each call, with its parts below it. */
export function createCallTracing(options: CallTracingOptions): CallTracing {
  const { clock } = options;
  const provider = new TracerProvider({
    resource: resourceFromAttributes(options.resource),
    spanProcessors: [
      new BatchSpanProcessor({ ...queue, exportTimeoutMillis: exportMs, exporter: createExporter(options) }),
    ],
  });
  const tracer = provider.getTracer('jackfield');
  const calls = new Map<string, TracedCall>();
  const forgetting = new Set<() => void>();

  const finish = (span: Span, attributes: SpanAttributes, problem: string | undefined): void => {
    span.setAttributes(attributes);
    if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
    span.end(clock.wallNow());
  };

  return {
    begin(call, attributes, cause) {
      if (calls.has(call)) return;
      const above = (cause === undefined ? undefined : calls.get(cause)?.context) ?? ROOT_CONTEXT;
      const about = { kind: SpanKind.SERVER, startTime: clock.wallNow(), attributes };
      const span = tracer.startSpan('call', about, above);
      calls.set(call, { span, context: trace.setSpan(above, span), parts: new Map() });
    },
    beginPart(call, name, attributes = {}) {
      const traced = calls.get(call);
      if (traced === undefined || traced.parts.has(name) || !traced.span.isRecording()) return;
      const about = { startTime: clock.wallNow(), attributes };
      traced.parts.set(name, tracer.startSpan(name, about, traced.context));
    },
    endPart(call, name, attributes = {}, problem) {
      const parts = calls.get(call)?.parts;
      const part = parts?.get(name);
      if (part === undefined) return;
      parts?.delete(name);
      finish(part, attributes, problem);
    },
    happened(call, name, { durationMs, attributes = {}, problem }) {
      const traced = calls.get(call);
      if (traced === undefined) return;
      const about = { kind: SpanKind.CLIENT, startTime: clock.wallNow() - durationMs };
      finish(tracer.startSpan(name, about, traced.context), attributes, problem);
    },
    end(call, attributes, problem) {
      const traced = calls.get(call);
      if (traced === undefined || !traced.span.isRecording()) return;
      for (const part of traced.parts.values()) finish(part, {}, problem);
      traced.parts.clear();
      finish(traced.span, attributes, problem);
      const forget = clock.startTimer(clock.now() + rememberedMs, () => {
        forgetting.delete(forget);
        calls.delete(call);
      });
      forgetting.add(forget);
    },
    async close() {
      for (const cancel of forgetting) cancel();
      for (const { span, parts } of calls.values())
        for (const open of [...parts.values(), span])
          if (open.isRecording()) finish(open, {}, 'the process ended');
      calls.clear();
      await provider.shutdown();
    },
  };
}

/** Logs the failures of the receiver, which the library does not report. */
function createExporter({ url, headers, clock, log }: CallTracingOptions): SpanExporter {
  const target = new URL('v1/traces', url.endsWith('/') ? url : `${url}/`).href;
  const exporter = new OTLPTraceExporter({ url: target, headers: { ...headers }, timeoutMillis: exportMs });
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0 && clock.now() - warnedAt >= warnEveryMs) {
          warnedAt = clock.now();
          log.warn({ url: target, spans: spans.length, err: result.error }, 'sending spans of calls failed');
        }
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
