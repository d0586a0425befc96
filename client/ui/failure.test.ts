import { expect, test, vi } from 'vitest'
import { ApiError } from '../net/api.ts'
import { failureWords } from './failure.ts'

const limited = (retryAfterSeconds: number) => new ApiError(429, 'too_many_requests', 'Too many attempts', { retryAfterSeconds })

test("the words for the server's code are shown, with the time to wait where it names one", () => {
  expect(failureWords(new ApiError(409, 'username_taken', 'Username is not available'))).toBe('Username is not available')
  expect(failureWords(limited(0.4))).toBe('Too many attempts. Try again in 1 second.')
  expect(failureWords(limited(45))).toBe('Too many attempts. Try again in 45 seconds.')
  expect(failureWords(limited(200))).toBe('Too many attempts. Try again in 4 minutes.')
})

test('a failure of cryptography is shown as it is, anything else is not, and is logged as the bug that it is', () => {
  const logged = vi.fn()
  vi.stubGlobal('reportError', logged)
  const failure = Object.assign(new Error('The signature does not match'), { name: 'CryptoFailure' })
  expect(failureWords(failure)).toBe('The signature does not match')
  expect(logged).not.toHaveBeenCalled()
  const bug = new TypeError('x is undefined')
  expect(failureWords(bug)).toBe('Something went wrong. Please try again.')
  expect(logged.mock.calls).toEqual([[bug]])
  vi.unstubAllGlobals()
})
