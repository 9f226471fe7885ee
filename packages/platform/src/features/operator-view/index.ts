export { createOperatorView } from './create-operator-view.ts';
