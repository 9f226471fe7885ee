import type { Instant } from '@jackfield/ports';

/** A table that holds the rows whose identifiers lie between two bounds. */
export interface Partition {
  readonly name: string;
  /** Before all identifiers in the partition that holds what the table had before it was partitioned. */
  readonly from: Instant;
  readonly to: Instant;
}

export interface FoundPartition {
  readonly name: string;
  /** As PostgreSQL writes it: `FOR VALUES FROM ('…') TO ('…')`, or `DEFAULT`. */
  readonly bound: string;
}

export interface PartitionPlan {
  readonly create: readonly Partition[];
  /** All their identifiers are too old; their rows are still to be looked at. */
  readonly drop: readonly string[];
  /** Tables whose old rows have to be deleted: they would wait for too long until their table is dropped, or for ever. */
  readonly byRow: readonly string[];
}

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Of the time for which rows are kept: a row stays for so much longer at most, or for an hour. */
const partsOfKept = 8;
/** Behind a gap. Another node whose clock is ahead may have written identifiers up to then, and they are in the rest. */
const marginMs = 10 * minuteMs;

/** How much time one partition holds: whole hours. */
export function spanOf(keepMs: number): number {
  return Math.max(1, Math.round(keepMs / partsOfKept / hourMs)) * hourMs;
}

/** An identifier of the platform begins with its milliseconds in hexadecimal digits (RFC 9562 §5.7). */
export function boundAt(at: Instant): string {
  const hex = at.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** What has to be done to the partitions of a table; nothing where it has none. */
export function planPartitions(
  table: string,
  found: readonly FoundPartition[],
  keepMs: number,
  now: Instant,
): PartitionPlan {
  const ranges = found.flatMap(rangeOf).sort((one, other) => one.to - other.to);
  if (ranges.length === 0) return { create: [], drop: [], byRow: [table] };
  const rests = found.filter(({ bound }) => bound === 'DEFAULT').map(({ name }) => name);
  const span = spanOf(keepMs);
  return {
    create: coming(table, ranges.at(-1)!.to, span, now),
    drop: ranges.filter(({ to }) => to < now - keepMs).map(({ name }) => name),
    // Also those of a time when rows were kept for longer.
    byRow: [...ranges.filter(({ from, to }) => to - from > 2 * span).map(({ name }) => name), ...rests],
  };
}

/** So many that the one of now is followed by another. */
function coming(table: string, end: Instant, span: number, now: Instant): readonly Partition[] {
  const partitions: Partition[] = [];
  let from = end < now ? Math.ceil((now + marginMs) / minuteMs) * minuteMs : end;
  while (from < now + span) {
    partitions.push({ name: `${table}_${digitsOf(from)}`, from, to: from + span });
    from += span;
  }
  return partitions;
}

const bounds = /^FOR VALUES FROM \((MINVALUE|'[^']*')\) TO \('([^']*)'\)$/;

function rangeOf({ name, bound }: FoundPartition): readonly Partition[] {
  const [, from, to] = bounds.exec(bound) ?? [];
  if (from === undefined || to === undefined) return [];
  return [
    {
      name,
      from: from === 'MINVALUE' ? Number.NEGATIVE_INFINITY : instantOf(from.slice(1, -1)),
      to: instantOf(to),
    },
  ];
}

/** After all times for a bound that is none: the table has had identifiers of another kind. */
function instantOf(bound: string): Instant {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})$/.exec(bound) ?? [];
  return high === undefined || low === undefined ? Number.POSITIVE_INFINITY : Number.parseInt(high + low, 16);
}

/** To the minute, for people who list the tables. */
function digitsOf(at: Instant): string {
  return new Date(at).toISOString().replace(/\D/g, '').slice(0, 12);
}
