import {
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Attributes, Trace, Tracing } from './tracing.ts';

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL };
/** A statement may be long. */
const maxAttributeLength = 4_096;
const exportMs = 5_000;

/**
 * Spans are created where calls are made, not by instrumentation that patches modules while they are loaded: on current
 * versions of Node, its loader hook runs without an error and instruments nothing.
 */
export function otlpTracing(options: {
  readonly url: string;
  readonly ratio: number;
  readonly role: string;
  readonly version: string;
}): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'waybill',
      'service.name': `waybill-${options.role}`,
      'service.version': options.version,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    // Bounded: when spans are not taken in time, new ones are dropped.
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: options.url, timeoutMillis: exportMs }),
        exportTimeoutMillis: exportMs,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const tracer = provider.getTracer('waybill', options.version);

  return {
    begin(name, kind, attributes, traceparent) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, readParent(traceparent));
      return toTrace(span);
    },
    step(name, attributes, call) {
      const parent = trace.getActiveSpan();
      if (!parent?.isRecording()) return call();
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
      return endAfter(toTrace(span), call);
    },
    traceparent() {
      const current = trace.getActiveSpan()?.spanContext();
      if (!current || !isSpanContextValid(current)) return undefined;
      return `00-${current.traceId}-${current.spanId}-0${current.traceFlags & TraceFlags.SAMPLED}`;
    },
    logFields(): Record<string, string> {
      const current = trace.getActiveSpan()?.spanContext();
      return current ? { traceId: current.traceId, spanId: current.spanId } : {};
    },
    stop: () => provider.shutdown().catch(() => undefined),
  };
}

/** Only `traceparent`, which is nothing but numbers; `tracestate` and `baggage` may hold anything. */
function readParent(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function toTrace(span: Span): Trace {
  return {
    within: (work) => context.with(trace.setSpan(context.active(), span), work),
    end(outcome: Attributes, failure) {
      span.setAttributes(outcome);
      if (failure !== undefined) {
        // Not the message of an error: it may quote a value, an address or a text.
        span.setAttribute('error.type', failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function endAfter<Result>(span: Trace, call: () => Result): Result {
  const recordFailure = (error: unknown): never => {
    span.end({}, error instanceof Error ? error.name : 'Error');
    throw error;
  };
  try {
    const result = span.within(call);
    if (!(result instanceof Promise)) {
      span.end({});
      return result;
    }
    return result.then((value: unknown) => {
      span.end({});
      return value;
    }, recordFailure) as Result;
  } catch (error) {
    return recordFailure(error);
  }
}
