import { expect, test } from 'vitest'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { openingWords, waysHere } from './openingWords.ts'

const all = { password: true, kit: { madeAt: null }, passkeys: [{ id: 'abc', madeAt: null }] }

test('Only the ways that open the account, and that work here, are offered', () => {
  expect(waysHere(all, true)).toEqual(['password', 'passkey', 'kit'])
  expect(waysHere(all, false)).toEqual(['password', 'kit'])
  expect(waysHere({ password: false, kit: null, passkeys: all.passkeys }, true)).toEqual(['passkey'])
  expect(waysHere({ password: true, kit: null, passkeys: [] }, true)).toEqual(['password'])
})

test('A way in that does not open the account is called by its name', () => {
  const wrong = new CryptoFailure('way', 'This way in does not open the account')
  expect(openingWords('password', wrong)).toBe('Wrong password')
  expect(openingWords('kit', wrong)).toBe('These words are not the recovery kit of this account')
  expect(openingWords('passkey', wrong)).toBe('This passkey does not open this account')
  expect(openingWords('password', new ApiError(401, 'invalid_credentials', 'Invalid username or password'))).toBe(
    'Wrong password',
  )
  expect(openingWords('kit', new CryptoFailure('kit_words', 'A kit has 24 words; these are 23'))).toBe(
    'A kit has 24 words; these are 23',
  )
  expect(openingWords('password', new ApiError(0, 'offline', 'The server cannot be reached'))).toBe(
    'The server cannot be reached',
  )
})
