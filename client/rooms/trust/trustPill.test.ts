import { expect, test } from 'vitest'
import { stopOf, trustOf } from './trustPill.ts'

const bob = { mismatch: null, isVerified: false, identityKey: 'key' }
const now = { person: bob, connection: 'open', stop: undefined, isLocked: false, hasKeys: true } as const
const words = (change: Partial<Parameters<typeof trustOf>[0]>) => {
  const { state, mark } = trustOf({ ...now, ...change })
  return [state, mark].filter(Boolean).join(' · ')
}

test('"Encrypted" is said only while it is true', () => {
  expect(words({})).toBe('Encrypted · Not verified')
  expect(words({ person: { ...bob, isVerified: true } })).toBe('Encrypted · Verified')
  expect(words({ connection: 'offline' })).toBe('You are offline')
  expect(words({ connection: 'connecting' })).toBe('Connecting...')
  expect(words({ hasKeys: false })).toBe('Not verified')
  expect(words({ hasKeys: false, person: { ...bob, isVerified: true } })).toBe('Verified')
  expect(words({ isLocked: true, person: { ...bob, isVerified: true } })).toBe('Locked')
  expect(words({ person: { ...bob, identityKey: null } })).toBe('No device yet')
})

test('While something stops sending, one statement says what, neither "Encrypted" nor "Verified" beside it, also without a connection', () => {
  const nothing = { isForked: false, asksRestart: false, isBookLost: false }
  const differing = { mismatch: 'numbers_differ' as const }
  const stops: [ReturnType<typeof stopOf>, string][] = [
    [stopOf(differing, { isForked: true, asksRestart: true, isBookLost: true }), 'Numbers differ'],
    [stopOf(bob, { ...nothing, isForked: true, asksRestart: true }), 'Two device lists'],
    [stopOf(bob, { ...nothing, asksRestart: true }), 'Chat state differs'],
    [stopOf(bob, { ...nothing, isBookLost: true }), 'Address book lost'],
  ]
  for (const [stop, state] of stops) {
    const person = { ...bob, isVerified: true }
    for (const connection of ['open', 'offline'] as const)
      expect(trustOf({ ...now, person, connection, stop })).toEqual({ tone: 'danger', state, mark: '' })
  }
  expect(stopOf(bob, nothing)).toBeUndefined()
})
