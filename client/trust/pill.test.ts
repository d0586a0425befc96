import { expect, test } from 'vitest'
import { trustOf } from './pill.ts'

const bob = { mismatch: null, isVerified: false, onionAddress: 'bob.onion' }
const now = { person: bob, connection: 'open', isForked: false, hasKeys: true } as const
const words = (change: Partial<Parameters<typeof trustOf>[0]>) => {
  const { state, mark } = trustOf({ ...now, ...change })
  return [state, mark].filter(Boolean).join(' · ')
}

test('"Encrypted" is said only while it is true, and verified only of a key that is not in doubt', () => {
  expect(words({})).toBe('Encrypted · Not verified')
  expect(words({ person: { ...bob, isVerified: true } })).toBe('Encrypted · Verified')
  expect(words({ connection: 'offline' })).toBe('You are offline')
  expect(words({ connection: 'connecting' })).toBe('Connecting...')
  expect(words({ hasKeys: false })).toBe('Not verified')
  expect(words({ hasKeys: false, person: { ...bob, isVerified: true } })).toBe('Verified')
  expect(words({ person: { ...bob, onionAddress: null } })).toBe('No device yet')
  expect(words({ isForked: true })).toBe('Two device lists')
  const inDoubt = { ...bob, isVerified: true, mismatch: 'numbers_differ' as const }
  expect(words({ person: inDoubt, connection: 'offline' })).toBe('Numbers differ')
  expect(trustOf({ ...now, person: inDoubt }).tone).toBe('danger')
})
