import { ApiError } from '../net/api.ts'

/**
 * The text for a verb's error. A CryptoFailure keeps its own message. Any other error is a bug: the person reads general words,
 * and the browser logs the bug, because the caller that shows the text has caught it.
 */
export function failureWords(error: unknown): string {
  if (error instanceof ApiError) return error.message + waitWords(error.retryAfterSeconds)
  if (error instanceof Error && error.name === 'CryptoFailure') return error.message
  // Node has no such function, where tests run.
  globalThis.reportError?.(error)
  return 'Something went wrong. Please try again.'
}

/** The same, with these words for an error that is no refusal and no failure of cryptography. */
export function failureWordsOr(error: unknown, words: string): string {
  const isSaid = error instanceof ApiError || (error instanceof Error && error.name === 'CryptoFailure')
  if (isSaid) return failureWords(error)
  globalThis.reportError?.(error)
  return words
}

function waitWords(seconds: number | undefined): string {
  if (seconds === undefined) return ''
  const [count, unit] = seconds < 90 ? [Math.max(1, Math.ceil(seconds)), 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `. Try again in ${count} ${unit}${count === 1 ? '' : 's'}.`
}
