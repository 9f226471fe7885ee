import { sentenceOf } from '../api/api-error.ts';

/** An action that the reader has begun: whether it runs, and why it failed. */
export class ActionState {
  isBusy = $state(false);
  problem = $state('');

  /** Whether it succeeded. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    this.isBusy = true;
    this.problem = '';
    try {
      await action();
      return true;
    } catch (fault) {
      this.problem = sentenceOf(fault);
      return false;
    } finally {
      this.isBusy = false;
    }
  }
}
