import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { createCore } from '../../worker/core.ts'
import { accountStore } from '../account/accountState.ts'
import { endSignUp } from './signin.ts'

test('the end of a sign-up leaves nothing at hand that opens the account', async () => {
  const core = createCore()
  await core.stretch({ username: 'alice', password: 'correct horse', salt: toBase64(new Uint8Array(16)) })
  accountStore.setState({ isNew: true })
  const env: Pick<Env, 'crypto'> = { crypto: core }
  await endSignUp(env)
  expect(accountStore.getState().isNew).toBe(false)
  const deviceName = { name: 'Test browser', browser: '', system: '' }
  await expect(core.draftAccount({ deviceName, username: 'alice' })).rejects.toMatchObject({ code: 'password' })
})
