import { describe } from 'node:test';
import { busContract } from './bus-contract.ts';
import { createMemoryBuses } from './memory-bus.ts';

const clock = {
  now: () => performance.now(),
  startTimer(at: number, fire: () => void) {
    const timer = setTimeout(fire, at - performance.now());
    return () => clearTimeout(timer);
  },
};

describe('the bus in memory', () => {
  busContract(async () => {
    const { join, cut, mend } = createMemoryBuses(clock);
    return {
      join: async (incarnation) => join(incarnation),
      cut: async () => cut(),
      mend: async () => mend(),
      close: async () => {},
    };
  });
});
