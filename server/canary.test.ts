import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { recoveryApi } from '../contract/account/recovery.ts'
import { newBrowser } from './testing/browser.ts'
import { changed, signedChange } from './testing/keys.ts'
import { newAuthSecret } from './testing/person.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

/** Returns the columns that contain the words, as text or as bytes in hex or base64. */
async function columnsWith(words: string): Promise<string[]> {
  const columns = await world.sql(
    `select table_name as table, column_name as column from information_schema.columns where table_schema = 'public' order by 1, 2`,
  )
  expect(columns.length).toBeGreaterThan(80)
  const bytes = Buffer.from(words)
  const forms = [words, bytes.toString('hex'), bytes.toString('base64').replace(/=+$/, '')]
  const found: string[] = []
  for (const { table, column } of columns) {
    const [row] = await world.sql(
      `select count(*)::int as count from "${table}" where exists (select from unnest($1::text[]) form where position(form in "${column}"::text) > 0)`,
      [forms],
    )
    if (row?.['count'] !== 0) found.push(`${table}.${column}`)
  }
  return found
}

test('no password that anyone typed, and no authSecret, is in any row or in the log', async () => {
  const { alice, bob } = await world.people()
  // The search itself is checked first: it finds planted words, as text and as bytes.
  const planted = `canary-${randomBytes(9).toString('base64url')}`
  await alice.says(await alice.talksTo(bob), planted)
  await world.sql('update users set public_key = $1 where id = $2', [Buffer.from(planted), bob.id])
  expect(await columnsWith(planted)).toEqual(['messages.content', 'users.public_key'])

  const password = `canary-${randomBytes(9).toString('base64url')}`
  const bare = newBrowser(world.url)
  const form = { username: 'bare', displayName: 'Bare', password, confirmPassword: password }
  await bare.does(accountApi.register, form)
  await bare.does(accountApi.login, { username: 'bare', password })
  await bare.tries(accountApi.login, { username: 'bare', password: `${password}x` })
  await bare.tries(accountApi.register, { ...form, confirmPassword: `${password}y` })
  for (const secret of [password, alice.authSecret]) {
    expect(await columnsWith(secret)).toEqual([])
    expect(world.log()).not.toContain(secret)
  }
  const [stored] = await world.sql('select password_hash from users where id = $1', [alice.id])
  expect(stored?.['password_hash']).toEqual(createHash('sha256').update(alice.authSecret).digest())
})

test('what a recovery kit shows the server, and a new password, are kept only as their hashes', async () => {
  const alice = await world.person('alice')
  const [kitSecret, newPassword] = [newAuthSecret(), newAuthSecret()]
  await alice.changesKeys({ adds: ['kit'] }, { kitSecret })
  await newBrowser(world.url).does(recoveryApi.loginByKit, { username: alice.username, kitSecret })
  const keys = signedChange(alice.identity, changed(alice.identity, { adds: ['password'] }))
  const form = { currentPassword: alice.authSecret, newPassword, confirmNewPassword: newPassword, kdf: 1 as const, keys }
  await alice.does(accountApi.changePassword, form)
  for (const secret of [kitSecret, newPassword]) {
    expect(await columnsWith(secret)).toEqual([])
    expect(world.log()).not.toContain(secret)
  }
})

test('the token of a session is kept only as its hash', async () => {
  const alice = await world.person('alice')
  const token = alice.cookie?.split('=')[1] ?? ''
  expect(token.length).toBeGreaterThan(40)
  expect(await columnsWith(token)).toEqual([])
  expect(world.log()).not.toContain(token)
})
