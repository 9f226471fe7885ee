export { type CallActionsDeps, type CallActionsFeature, createCallActions } from './call-actions.ts';
