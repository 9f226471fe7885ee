import type { Binding, Instant, Write } from '@jackfield/ports';
import { bindingOf, isRefresh, isSameBinding, type RegistrarQueries } from '../bindings-store.ts';

/** SQL of one change of the bindings of an endpoint. */
export interface BindingChanges {
  /** Undefined without the endpoint. */
  live(
    on: Pick<Write, 'executeQuery'>,
    endpoint: string,
    now: Instant,
  ): Promise<readonly Binding[] | undefined>;
  /**
   * Writes only the differences: a refresh is one statement. When there was nothing but refreshes it returns the bindings that were read, with
   * the times and numbers of these.
   */
  replace(
    write: Write,
    endpoint: string,
    current: readonly Binding[],
    next: readonly Binding[],
  ): Promise<readonly Binding[] | undefined>;
  /** Stores the instances of new phones. */
  remember(
    write: Write,
    endpoint: string,
    current: readonly Binding[],
    next: readonly Binding[],
    now: Instant,
  ): Promise<void>;
}

export function createBindingChanges(queries: RegistrarQueries): BindingChanges {
  return {
    async live(on, endpoint, now) {
      const { rows } = await on.executeQuery(queries.live(endpoint, now));
      if (rows.length === 0) return undefined;
      return rows.map(bindingOf).filter((binding) => binding !== undefined);
    },

    async replace(write, endpoint, current, next) {
      let refreshed = next.length === current.length ? [...current] : undefined;
      for (const gone of current) {
        if (!next.some((binding) => isSameBinding(binding, gone))) {
          refreshed = undefined;
          await write.executeQuery(queries.remove(endpoint, gone));
        }
      }
      for (const binding of next) {
        if (current.includes(binding)) continue;
        const stored = storable(binding);
        const at = current.findIndex((before) => isRefresh(before, stored));
        await write.executeQuery(at < 0 ? queries.put(endpoint, stored) : queries.refresh(endpoint, stored));
        const { expiresAt, cseq, refreshedAt } = stored;
        if (refreshed === undefined || at < 0 || refreshedAt === undefined) refreshed = undefined;
        else refreshed[at] = { ...current[at]!, expiresAt, cseq, refreshedAt };
      }
      return refreshed;
    },

    async remember(write, endpoint, current, next, now) {
      const known = new Set(current.map(({ instance }) => instance));
      for (const { instance } of next) {
        if (instance === undefined || known.has(instance)) continue;
        known.add(instance);
        await write.executeQuery(queries.addInstance(endpoint, instance, now));
        await write.executeQuery(queries.trimInstances(endpoint));
      }
    },
  };
}

/** Removes control characters from the phone's own texts: they are shown to people, and some databases refuse NUL. */
function storable(binding: Binding): Binding {
  const { userAgent, callId } = binding;
  if (/^[^\p{Cc}\p{Cs}]{0,255}$/u.test(userAgent) && !callId.includes('\0')) return binding;
  const readable = Array.from(userAgent.replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, 255)
    .join('');
  return { ...binding, userAgent: readable, callId: callId.replaceAll('\0', '') };
}
