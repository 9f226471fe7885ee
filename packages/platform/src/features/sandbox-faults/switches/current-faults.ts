import { type SandboxFaultName, sandboxFaultNames } from '@jackfield/contract';
import type { Clock, Instant } from '@jackfield/ports';

export interface CurrentFault {
  readonly name: SandboxFaultName;
  /** On the clock of the process; undefined for a fault that stays. */
  readonly endsAt: Instant | undefined;
  readonly lateMs: number;
}

/** The faults that are on. A restart of the process ends them: no record outlives the person who tries things out. */
export interface CurrentFaults {
  /** A fault that is on begins anew. */
  begin(
    name: SandboxFaultName,
    options: { readonly forMs: number | undefined; readonly lateMs: number },
  ): void;
  end(name: SandboxFaultName): void;
  /** Undefined while it is off. */
  find(name: SandboxFaultName): CurrentFault | undefined;
  isOn(name: SandboxFaultName): boolean;
  /** How late messages arrive; 0 while `sms-late` is off. */
  lateMs(): number;
}

/** A fault is over when its time is: nothing waits for that moment, so there is no timer. */
export function createCurrentFaults(clock: Pick<Clock, 'now'>): CurrentFaults {
  const current = new Map<SandboxFaultName, CurrentFault>();

  function find(name: SandboxFaultName): CurrentFault | undefined {
    const fault = current.get(name);
    if (fault?.endsAt === undefined || clock.now() < fault.endsAt) return fault;
    current.delete(name);
    return undefined;
  }

  return {
    begin(name, { forMs, lateMs }) {
      current.set(name, { name, lateMs, endsAt: forMs === undefined ? undefined : clock.now() + forMs });
    },
    end: (name) => void current.delete(name),
    find,
    isOn: (name) => find(name) !== undefined,
    lateMs: () => find('sms-late')?.lateMs ?? 0,
  };
}

export function isFaultName(name: string): name is SandboxFaultName {
  return sandboxFaultNames.some((each) => each === name);
}
