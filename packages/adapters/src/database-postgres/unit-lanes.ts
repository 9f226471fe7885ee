import type { UnitOptions, Write } from '@jackfield/ports';
import { type Unit, UnitLane, type UnitLaneDeps } from './unit-lane.ts';

/** Runs units of work in lanes: each has transactions of its own, and the units of one turn of the event loop share them. */
export interface UnitLanes {
  transact<Result>(work: (write: Write) => Promise<Result>, options?: UnitOptions): Promise<Result>;
  laneOf(key: string): number;
  laneOfUnit(write: Write): number;
  /** Resolves when no unit waits or runs. */
  idle(): Promise<void>;
}

export interface UnitLanesDeps extends Omit<UnitLaneDeps, 'onIdle' | 'number'> {
  /** How many groups run at the same time, each on a connection of its own; heartbeats not counted. */
  readonly lanes: number;
  /** The connection of heartbeats, whose lane has the number after the last other lane. Without it heartbeats are ordinary units. */
  readonly connectForHeartbeats?: UnitLaneDeps['connect'];
}

/** Serializable units share this lane: they do not conflict with each other there. */
const serializableLane = 0;

export function createUnitLanes({ lanes: count, connectForHeartbeats, ...deps }: UnitLanesDeps): UnitLanes {
  const idlers: (() => void)[] = [];
  const lanes = Array.from({ length: count }, (_, number) => new UnitLane({ ...deps, number, onIdle }));
  if (connectForHeartbeats !== undefined) {
    const { wasCommitted: _, ...others } = deps;
    lanes.push(new UnitLane({ ...others, connect: connectForHeartbeats, number: count, onIdle }));
  }
  const laneOfWrite = new WeakMap<Write, number>();

  function isIdle(): boolean {
    return lanes.every((lane) => lane.isIdle);
  }

  function onIdle(): void {
    if (isIdle()) for (const resolve of idlers.splice(0)) resolve();
  }

  function numberFor({ isolation, key, isHeartbeat }: UnitOptions): number {
    if (isHeartbeat && connectForHeartbeats !== undefined) return count;
    if (isolation !== 'read-committed') return serializableLane;
    if (key !== undefined) return laneOf(key);
    let shortest = 0;
    for (let each = 1; each < count; each++) if (lanes[each]!.load < lanes[shortest]!.load) shortest = each;
    return shortest;
  }

  function laneOf(key: string): number {
    return count === 1 ? 0 : hashOf(key) % count;
  }

  return {
    transact<Result>(work: (write: Write) => Promise<Result>, options: UnitOptions = {}): Promise<Result> {
      const number = numberFor(options);
      return new Promise<Result>((resolve, reject) => {
        let outcome: { readonly value: Result } | { readonly error: unknown } | undefined;
        const unit: Unit = {
          isolation: options.isolation ?? 'serializable',
          ...(options.excluding === undefined ? {} : { excluding: options.excluding }),
          ...(options.isAlone === undefined ? {} : { isAlone: options.isAlone }),
          async run(write) {
            try {
              const value = await write.transaction().execute((inUnit) => {
                laneOfWrite.set(inUnit, number);
                return work(inUnit);
              });
              outcome = { value };
            } catch (error) {
              outcome = { error };
            }
          },
          settle(failure) {
            if (failure !== undefined) reject(ownError(outcome, failure.cause));
            else if (outcome === undefined || 'error' in outcome) reject(outcome?.error);
            else resolve(outcome.value);
          },
        };
        lanes[number]!.add(unit);
      });
    },
    laneOf,
    laneOfUnit(write) {
      const number = laneOfWrite.get(write);
      if (number === undefined) throw new Error('this transaction is not a unit of transact');
      return number;
    },
    idle() {
      return isIdle() ? Promise.resolve() : new Promise<void>((resolve) => idlers.push(resolve));
    },
  };
}

/** A failed unit reports its own error; the other units of its group report the error of the transaction. */
function ownError(outcome: object | undefined, cause: unknown): unknown {
  return outcome !== undefined && 'error' in outcome ? outcome.error : cause;
}

/** FNV-1a over UTF-16 units, without its low bits alone: similar keys differ in their last characters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
