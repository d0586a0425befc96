/** What a request's row says of the messages that came with it, which are opened once it is accepted. */
export const waitingWords = (count: number): string =>
  count === 0 ? 'Wants to write to you' : count === 1 ? '1 message waiting' : `${count} messages waiting`
