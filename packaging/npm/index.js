import monotable from './index.cjs';

export const { binary, current, start } = monotable;
