import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { base32 } from '../../../contract/people/onion.ts'
import { serveControl } from '../../testing/faketor.ts'
import { changeClients, showOnion } from './commands.ts'
import { prepareKey } from './onionKey.ts'

const tor = { mode: 'auto' as const, control: undefined, configFile: undefined, socketPath: undefined }
const settings = { tor, onionUrl: undefined }
const newFolder = () => mkdtempSync(path.join(tmpdir(), 'c-'))
const ready = () => {
  const dataFolder = newFolder()
  return { dataFolder, ...prepareKey(path.join(dataFolder, 'onion')) }
}
const change = (dataFolder: string, ...words: string[]) => changeClients(settings, dataFolder, words)

test('the address and its key are shown, and where there is none nothing is made', async () => {
  const { dataFolder, address } = ready()
  expect(showOnion(settings, dataFolder).join('\n')).toContain(
    `http://${address}\nIts key: ${dataFolder}/onion/hs_ed25519_secret_key`,
  )
  const bare = newFolder()
  expect(() => showOnion(settings, bare)).toThrow(/^No onion key lies in/)
  await expect(change(bare, 'add', 'anna')).rejects.toThrow(/^No onion key lies in/)
  expect(existsSync(path.join(bare, 'onion'))).toBe(false)
  const foreign = { tor: { ...tor, mode: 'off' as const }, onionUrl: new URL(`http://${address}`) }
  expect(showOnion(foreign, bare)[1]).toContain('Somebody else publishes it')
  await expect(changeClients(foreign, bare, ['add', 'anna'])).rejects.toThrow(/says who may come/)
})

test('a client is added with a key that is shown once, listed and removed', async () => {
  const { dataFolder, address } = ready()
  expect(await change(dataFolder, 'list')).toEqual(['Everybody may come: no client is named'])
  const lines = (await change(dataFolder, 'add', 'anna'))?.join('\n') ?? ''
  expect(lines).toContain('It counts from the next start on')
  const privateKey = /shown this once: ([A-Z2-7]{52})$/m.exec(lines)?.[1] ?? ''
  expect(lines).toContain(`${address.replace('.onion', '')}:descriptor:x25519:${privateKey}`)
  const file = path.join(dataFolder, 'onion/authorized_clients/anna.auth')
  const kept = readFileSync(file, 'utf8')
  expect([kept.includes(privateKey), statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([
    false,
    0o600,
    0o700,
  ])
  // The public half that is kept belongs to the private one that was shown.
  const head = Buffer.from('302e020100300506032b656e04220420', 'hex')
  const der = Buffer.concat([head, fromBase32(privateKey)])
  const made = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    type: 'spki',
    format: 'der',
  })
  expect(kept).toBe(`descriptor:x25519:${base32(made.subarray(-32)).toUpperCase()}\n`)
  await expect(change(dataFolder, 'add', 'anna')).rejects.toThrow(/There is a client called anna already/)
  await change(dataFolder, 'add', 'ben')
  expect(await change(dataFolder, 'list')).toEqual(['anna', 'ben'])
  expect((await change(dataFolder, 'remove', 'anna'))?.[0]).toMatch(/^anna may no longer come/)
  expect((await change(dataFolder, 'remove', 'ben'))?.[0]).toMatch(/^No client is named any more, so everybody may come/)
  await expect(change(dataFolder, 'remove', 'ben')).rejects.toThrow(/No client is called ben/)
})

test('a name that would be another file is refused, and an unknown verb is none', async () => {
  const { dataFolder } = ready()
  for (const name of ['../x', 'a/b', '.', 'x'.repeat(50), 'a b', 'ä'])
    await expect(change(dataFolder, 'add', name)).rejects.toThrow(/A client is named by letters/)
  expect([await change(dataFolder, 'add'), await change(dataFolder, 'show', 'anna'), await change(dataFolder)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a running tor reads the change at once, and the operator’s tor once the server has started again', async () => {
  const { dataFolder } = ready()
  mkdirSync(path.join(dataFolder, 'tor'))
  const socketPath = path.join(dataFolder, 'tor/control')
  const control = await serveControl(socketPath)
  writeFileSync(path.join(dataFolder, 'tor/torrc'), `SocksPort 0\nControlSocket ${socketPath}\n`)
  expect((await change(dataFolder, 'add', 'anna'))?.[0]).toContain('tor has read it')
  expect(control.commands).toContain('SIGNAL RELOAD')
  const operated = { tor: { ...tor, control: { address: { path: '/x' }, password: undefined } }, onionUrl: undefined }
  expect((await changeClients(operated, dataFolder, ['add', 'ben']))?.[0]).toContain('once the server has started again')
})

test.each([
  ['does not read its configuration', { answers: { SIGNAL: '551 Unable to reload' } }, 'Unable to reload'],
  ['is another program', { isImpostor: true }, 'does not know tor’s cookie'],
])('a tor that %s hides no key: the client is there, and its key is shown', async (_what, options, words) => {
  const { dataFolder } = ready()
  mkdirSync(path.join(dataFolder, 'tor'))
  const socketPath = path.join(dataFolder, 'tor/control')
  await serveControl(socketPath, options)
  writeFileSync(path.join(dataFolder, 'tor/torrc'), `ControlSocket ${socketPath}\n`)
  const lines = (await change(dataFolder, 'add', 'anna'))?.join('\n') ?? ''
  expect(lines).toMatch(/It counts from the next start on: tor has not read it.*\n.*shown this once: [A-Z2-7]{52}$/m)
  expect(lines).toContain(words)
})

function fromBase32(text: string): Buffer {
  const bits = [...text.toLowerCase()]
    .map((each) => 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(each).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.slice(0, 256).match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2)))
}
