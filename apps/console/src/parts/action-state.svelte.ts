import { sentenceOf } from '../api/api-error.ts';

/**
 * An action that the reader has begun: whether it runs, and why it failed. Its button is `aria-disabled` meanwhile, because a disabled button
 * loses the focus of the keyboard.
 */
export class ActionState {
  isBusy = $state(false);
  problem = $state('');

  /** Whether it succeeded; a second one does not begin while one runs. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    if (this.isBusy) return false;
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
