import type { StopSignal } from '@jackfield/ports';

/** Limits concurrent work; waiting groups take turns, so that a group with much work delays no other. */
export interface FairLine {
  /** Rejects with a LineProblem when too many wait, or when the signal aborts while the work still waits. */
  run<Value>(group: string, work: () => Promise<Value>, signal: StopSignal): Promise<Value>;
  census(): { readonly working: number; readonly waiting: number };
}

export interface FairLineLimits {
  readonly atOnce: number;
  readonly perGroup: number;
  readonly waiting: number;
}

/** `full`: too many wait; `withdrawn`: the last requester has left. */
export class LineProblem extends Error {
  readonly code: 'full' | 'withdrawn';

  constructor(code: 'full' | 'withdrawn') {
    super(code === 'full' ? 'too much work waits already' : 'the last requester has left');
    this.name = 'LineProblem';
    this.code = code;
  }
}

interface Group {
  working: number;
  readonly waiting: Set<() => void>;
}

export function createFairLine(limits: FairLineLimits): FairLine {
  const groups = new Map<string, Group>();
  // Names of groups with work that may begin, in the order of their turns.
  const ready = new Set<string>();
  let working = 0;
  let waiting = 0;

  const look = (name: string, group: Group): void => {
    if (group.waiting.size > 0 && group.working < limits.perGroup) ready.add(name);
    else ready.delete(name);
    if (group.waiting.size === 0 && group.working === 0) groups.delete(name);
  };

  function begin(): void {
    while (working < limits.atOnce) {
      const [name] = ready;
      if (name === undefined) return;
      const group = groups.get(name)!;
      const [first] = group.waiting;
      group.waiting.delete(first!);
      waiting--;
      group.working++;
      working++;
      // The group has its next turn after the others.
      ready.delete(name);
      look(name, group);
      first!();
    }
  }

  function finish(name: string, group: Group): void {
    group.working--;
    working--;
    look(name, group);
    begin();
  }

  return {
    census: () => ({ working, waiting }),
    run(name, work, signal) {
      if (signal.aborted) return Promise.reject(new LineProblem('withdrawn'));
      const group = groups.get(name) ?? { working: 0, waiting: new Set() };
      const beginsAtOnce = working < limits.atOnce && group.working < limits.perGroup;
      if (waiting >= limits.waiting && !beginsAtOnce) return Promise.reject(new LineProblem('full'));
      groups.set(name, group);
      return new Promise((resolve, reject) => {
        const start = (): void => {
          signal.removeEventListener('abort', withdraw);
          work()
            .then(resolve, reject)
            .finally(() => finish(name, group));
        };
        const withdraw = (): void => {
          if (!group.waiting.delete(start)) return;
          waiting--;
          look(name, group);
          reject(new LineProblem('withdrawn'));
        };
        signal.addEventListener('abort', withdraw, { once: true });
        group.waiting.add(start);
        waiting++;
        look(name, group);
        begin();
      });
    },
  };
}
