// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import type { User } from '../../contract/account/account.ts'
import { OTHER_ACCOUNT } from '../me/account/account.ts'
import { accountStore } from '../me/account/accountState.ts'
import { wire } from './early.ts'

vi.mock('./mount.tsx', () => ({ mount: () => undefined }))

const ALICE: User = {
  ...{ id: '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01', username: 'Alice', displayName: 'Alice', profileImageUrl: null },
  ...{ isAdmin: false, subscriptionTier: 'free', biometricEnabled: false, email: null, onionAddress: null, hasKeys: true },
  ...{ deviceId: null, privacy: { presence: true, lastSeen: true, typing: true, receipts: true } },
}

test('What a start does not take is not left to a later question: it may be the half of another account', async () => {
  const late = new Response('late')
  vi.stubGlobal('fetch', async () => late)
  vi.stubGlobal('Worker', class {})
  vi.spyOn(console, 'error').mockReturnValue()
  document.documentElement.dataset['frame'] = 'app'
  localStorage.setItem('user', JSON.stringify({ id: 'another', username: 'Bob' }))
  const unlock = '/api/devices/unlock'
  globalThis.early = {
    asked: { '/api/user': Promise.resolve(Response.json(ALICE)), [unlock]: Promise.resolve(new Response('early')) },
    askedAtMs: Date.now(),
  }
  await import('./start.ts')
  await vi.waitFor(() => expect(accountStore.getState().notice).toBe(OTHER_ACCOUNT))
  expect(await wire(unlock, { method: 'GET' })).toBe(late)
})
