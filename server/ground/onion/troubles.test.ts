import { spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fakeProgram, IDLE, serveControl } from '../../testing/faketor.ts'
import { addClient } from './clients.ts'
import { connectControl } from './control.ts'
import { wordsOf } from './onionError.ts'
import { prepareKey } from './onionKey.ts'
import { type OnionOptions, openOnion } from './openOnion.ts'

const settings = { mode: 'auto' as const, control: undefined, configFile: undefined, socketPath: undefined }
const idle = fakeProgram(IDLE)
const newFolder = () => mkdtempSync(path.join(tmpdir(), 't-'))
const keyFolder = (dataFolder: string) => path.join(dataFolder, 'onion')

/** Starts an onion service, by a program that does nothing unless another is named, and collects what the log says. */
async function starts(
  dataFolder: string,
  tor: Partial<Parameters<typeof openOnion>[0]['tor']> = {},
  more: Partial<OnionOptions> = {},
) {
  const log: string[] = []
  const say = (sentence: string) => void log.push(sentence)
  const options = { dataFolder, log: { info: say, warn: say }, findProgram: () => idle, againMs: [10, 20] as const, ...more }
  const onion = openOnion({ tor: { ...settings, ...tor }, onionUrl: undefined }, options)
  onTestFinished(() => onion.stop())
  await onion.start(() => createServer())
  const says = (text: string | RegExp) =>
    vi.waitUntil(() => log.find((each) => (typeof text === 'string' ? each.includes(text) : text.test(each))), {
      timeout: 20_000,
    })
  return { onion, log, says }
}

/** A data folder whose own tor answers so at its control socket. */
async function controlled(options: Parameters<typeof serveControl>[1] = {}) {
  const dataFolder = newFolder()
  mkdirSync(path.join(dataFolder, 'tor'), { mode: 0o700 })
  return { dataFolder, control: await serveControl(path.join(dataFolder, 'tor/control'), options) }
}

test('no tor program is one line that names the package, and the server goes on; where Tor is required it does not start', async () => {
  const { log } = await starts(newFolder(), {}, { findProgram: () => undefined })
  expect(log).toEqual([expect.stringMatching(/^No tor program was found.*apt install tor.*TOR=off/)])
  const required = starts(newFolder(), { mode: 'required' }, { findProgram: () => undefined })
  await expect(required).rejects.toThrow(/^TOR=required: No tor program was found.*apt install tor/)
})

test('a folder of the key that others may open is named with what mends it, and taken once it is mended', async () => {
  const { dataFolder } = await controlled()
  mkdirSync(keyFolder(dataFolder))
  chmodSync(keyFolder(dataFolder), 0o755)
  const { says, onion, log } = await starts(dataFolder)
  await says(`(mode 755): chmod 700 ${keyFolder(dataFolder)}`)
  await expect(starts(dataFolder, { mode: 'required' })).rejects.toThrow(/Other accounts may open the folder of the onion key/)
  chmodSync(keyFolder(dataFolder), 0o700)
  await vi.waitUntil(() => prepareKey(keyFolder(dataFolder)).address, { timeout: 10_000 })
  expect(onion.address()).toBeUndefined()
  // It is said once, however often it is tried.
  expect(log.filter((each) => each.includes('chmod 700'))).toHaveLength(1)
})

test.runIf(process.getuid?.() === 0)('a folder of the key that belongs to another account is named', async () => {
  const dataFolder = newFolder()
  mkdirSync(keyFolder(dataFolder), { mode: 0o700 })
  chownSync(keyFolder(dataFolder), 65_534, 65_534)
  await expect(starts(dataFolder, { mode: 'required' })).rejects.toThrow(/belongs to another account/)
})

test('a damaged key is named and never replaced', async () => {
  const dataFolder = newFolder()
  prepareKey(keyFolder(dataFolder))
  writeFileSync(path.join(keyFolder(dataFolder), 'hs_ed25519_secret_key'), 'half')
  await expect(starts(dataFolder, { mode: 'required' })).rejects.toThrow(/is damaged: put your backup/)
  const { says } = await starts(dataFolder)
  await says('is damaged: put your backup')
})

test('a key that vanishes below a running server is put back, not made anew', async () => {
  const dataFolder = newFolder()
  const marker = path.join(dataFolder, 'started')
  const program = fakeProgram(`echo >> ${marker}; exit 1`)
  const { onion } = await starts(dataFolder, { mode: 'required' }, { findProgram: () => program })
  const starting = () => (existsSync(marker) ? readFileSync(marker, 'utf8').length : 0)
  const address = onion.address()
  rmSync(keyFolder(dataFolder), { recursive: true })
  const before = starting()
  await vi.waitUntil(() => starting() > before + 1, { timeout: 20_000 })
  expect([onion.address(), prepareKey(keyFolder(dataFolder)).address]).toEqual([address, address])
})

test.each([
  ['a full disk', 'Error writing to "/x/state.tmp": No space left on device', /^The disk is full: tor cannot write into/],
  ['a second tor', 'It looks like another Tor process is running with the same data directory.', /^Another tor still runs on/],
  ['a forbidden folder', 'Permissions on directory /x are too permissive.', /^tor may not use its folders/],
  ['another failure', "Unknown option 'Bridg'.  Failing.", /^tor has ended, and said last: Unknown option/],
])('%s is told in plain words from what tor says, once', async (_what, line, words) => {
  const program = fakeProgram(
    `echo 'Nov 26 12:00:00.000 [warn] ${line.replaceAll("'", "'\\''")}'; echo '[err] Reading config failed'; exit 1`,
  )
  const { says, log } = await starts(newFolder(), {}, { findProgram: () => program })
  await says(words)
  await vi.waitUntil(() => true)
  expect(log.filter((each) => words.test(each))).toHaveLength(1)
})

test('a disk without space and a folder without rights have their own words, whatever meets them first', () => {
  const met = (code: string) => wordsOf(Object.assign(new Error('a failure'), { code }), '/data/tor')
  expect([met('ENOSPC'), met('EDQUOT')].every((each) => each.startsWith('The disk is full'))).toBe(true)
  expect(met('EACCES')).toBe('The account that runs Conclave may not read and write /data/tor')
  expect(met('EIO')).toBe('a failure')
})

test('a TOR_CONFIG that cannot be read is named', async () => {
  const { says } = await starts(newFolder(), { configFile: '/no/such/file' })
  await says(/^TOR_CONFIG cannot be read: .*\/no\/such\/file/)
})

test('a tor that does not come into its network is told with its own reason', async () => {
  const events = [
    'STATUS_CLIENT NOTICE BOOTSTRAP PROGRESS=14 TAG=handshake SUMMARY="Handshaking with a relay"',
    'STATUS_CLIENT WARN BOOTSTRAP PROGRESS=14 TAG=handshake SUMMARY="Handshaking with a relay" WARNING="Connection refused" REASON=CONNECTREFUSED COUNT=5 RECOMMENDATION=warn',
  ]
  const { dataFolder } = await controlled({ events })
  const { says } = await starts(dataFolder, {}, { patienceMs: 200 })
  await says('Tor does not come into its network: it stands at 14 % (Handshaking with a relay), because: Connection refused')
})

test('a tor that is connected and publishes nothing is told too', async () => {
  const { dataFolder } = await controlled({ events: ['STATUS_CLIENT NOTICE BOOTSTRAP PROGRESS=100 TAG=done SUMMARY="Done"'] })
  const { says } = await starts(dataFolder, {}, { patienceMs: 200 })
  await says('its network has not taken the description')
})

test.each([
  ['-7200', '2 hours behind'],
  ['+300', '5 minutes ahead'],
])('a clock that is wrong by %s seconds is told', async (skew, words) => {
  const { dataFolder } = await controlled({ events: [`STATUS_GENERAL WARN CLOCK_SKEW SKEW=${skew} SOURCE=CONSENSUS`] })
  const { says } = await starts(dataFolder)
  await says(`The clock of this machine is wrong: by the Tor network it is ${words}`)
})

test('whoever answers in tor’s place without its cookie is told nothing and named', async () => {
  const { dataFolder, control } = await controlled({ isImpostor: true })
  const { says } = await starts(dataFolder)
  await says('does not know tor’s cookie')
  expect(control.commands.some((each) => each.startsWith('AUTHENTICATE'))).toBe(false)
})

/** An operator's tor at a socket of its own. */
async function operated(options: Parameters<typeof serveControl>[1] = {}, password?: string) {
  const dataFolder = newFolder()
  const controlPath = path.join(newFolder(), 'control')
  const control = await serveControl(controlPath, options)
  return { dataFolder, control, tor: { control: { address: { path: controlPath }, password } } }
}

test('an operator’s tor publishes by our key, and again after its connection was lost; without Detach it ends with this server', async () => {
  const { dataFolder, control, tor } = await operated({ events: ['HS_DESC REQUESTED x'] })
  const { address, expandedKey } = prepareKey(keyFolder(dataFolder))
  const { log } = await starts(dataFolder, tor)
  const added = () => control.commands.filter((each) => each.startsWith('ADD_ONION'))
  await vi.waitUntil(() => added().length === 1, { timeout: 10_000 })
  control.drops()
  await vi.waitUntil(() => added().length === 2, { timeout: 10_000 })
  const web = path.join(dataFolder, 'tor/web')
  expect(added()[1]).toBe(
    `ADD_ONION ED25519-V3:${expandedKey.toString('base64')} Flags=DiscardPK,MaxStreamsCloseCircuit MaxStreams=64 Port=80,unix:${web} PoWDefensesEnabled=1`,
  )
  expect(log.join()).toContain('The control connection to the operator’s tor has ended')
  expect(address).toMatch(/^[a-z2-7]{56}\.onion$/)
})

test('the operator’s tor lets in whom the folder of clients names, and an older one has no defence by work', async () => {
  const { dataFolder, control, tor } = await operated()
  prepareKey(keyFolder(dataFolder))
  addClient(keyFolder(dataFolder), 'anna')
  await starts(dataFolder, tor)
  const added = () => control.commands.find((each) => each.startsWith('ADD_ONION'))
  await vi.waitUntil(added, { timeout: 10_000 })
  expect(added()).toMatch(/ Flags=DiscardPK,MaxStreamsCloseCircuit,V3Auth .* ClientAuthV3=[A-Z2-7]{52} /)
  const old = await operated({ answers: { ADD_ONION: '512 Unrecognized argument' } })
  const { says } = await starts(old.dataFolder, old.tor)
  await says('The operator’s tor does not publish the onion service: Unrecognized argument')
  const tries = old.control.commands.filter((each) => each.startsWith('ADD_ONION'))
  expect([tries[0]?.includes('PoW'), tries[1]?.includes('PoW')]).toEqual([true, false])
})

test('the password of the control port is asked for, used and refused by name', async () => {
  const right = await operated({ methods: 'HASHEDPASSWORD', password: 'with \\"quotes\\"' }, 'with "quotes"')
  await starts(right.dataFolder, right.tor)
  await vi.waitUntil(() => right.control.commands.some((each) => each.startsWith('ADD_ONION')), { timeout: 10_000 })
  for (const [given, words] of [
    ['wrong', 'refuses TOR_CONTROL_PASSWORD'],
    [undefined, 'wants a password: set TOR_CONTROL_PASSWORD'],
  ] as const) {
    const { dataFolder, tor } = await operated({ methods: 'HASHEDPASSWORD', password: 'right' }, given)
    const { says, log } = await starts(dataFolder, tor)
    await says(words)
    expect(log.join()).not.toMatch(/wrong|right/)
  }
})

test('a client’s file without a key keeps the service closed, by either tor, until it is mended', async () => {
  const breaks = (dataFolder: string) => {
    prepareKey(keyFolder(dataFolder))
    addClient(keyFolder(dataFolder), 'anna')
    const file = path.join(keyFolder(dataFolder), 'authorized_clients/anna.auth')
    writeFileSync(file, '')
    return file
  }
  const { dataFolder, tor, control } = await operated()
  const file = breaks(dataFolder)
  const { says } = await starts(dataFolder, tor)
  await says(`${file} names no key of a client`)
  expect(control.commands.some((each) => each.startsWith('ADD_ONION'))).toBe(false)
  rmSync(file)
  await vi.waitUntil(() => control.commands.some((each) => each.startsWith('ADD_ONION')), { timeout: 20_000 })

  const [own, marker] = [newFolder(), path.join(newFolder(), 'started')]
  const ownFile = breaks(own)
  const started = await starts(own, {}, { findProgram: () => fakeProgram(`echo > ${marker}; ${IDLE}`) })
  await started.says(`${ownFile} names no key of a client`)
  expect(existsSync(marker)).toBe(false)
})

test('a file that is no cookie is not sent to whoever names it', async () => {
  const { dataFolder, tor, control } = await operated({
    methods: 'COOKIE',
    cookie: Buffer.from('root:x:0:0:a file of this machine'),
  })
  const { says } = await starts(dataFolder, tor)
  await says('is no cookie of tor')
  expect(control.commands.some((each) => each.startsWith('AUTHENTICATE'))).toBe(false)
})

test.each([
  ['550 Onion address collision', 'publishes this onion service already, for another program'],
  ['551 Failed', 'does not publish the onion service: Failed'],
])('the operator’s tor that answers %s is told', async (answer, words) => {
  const { dataFolder, tor } = await operated({ answers: { ADD_ONION: answer } })
  const { says } = await starts(dataFolder, tor)
  await says(words)
})

test('an answer of many long lines is cut off before it ends', async () => {
  const controlPath = path.join(newFolder(), 'control')
  const long = Array<string>(8).fill(`250-${'x'.repeat(60_000)}`)
  await serveControl(controlPath, { answers: { GETINFO: [...long, '250 OK'].join('\r\n') } })
  const control = await connectControl({ path: controlPath }, () => undefined)
  await expect(control.ask('GETINFO version')).rejects.toThrow('has ended')
})

test('an operator’s tor that is not there is told, and tried again', async () => {
  const { says } = await starts(newFolder(), { control: { address: { path: '/no/such/socket' }, password: undefined } })
  await says('The tor of TOR_CONTROL does not answer')
})

test('TOR_SOCKET takes the place of a socket that was left, and of no other file', async () => {
  const { dataFolder, control, tor } = await operated()
  const socketPath = path.join(newFolder(), 'web')
  writeFileSync(socketPath, 'a file of the operator')
  const { says } = await starts(dataFolder, { ...tor, socketPath })
  await says(/EADDRINUSE/)
  expect(readFileSync(socketPath, 'utf8')).toBe('a file of the operator')
  rmSync(socketPath)
  const killed = fork(socketPath)
  await vi.waitUntil(() => existsSync(socketPath), { timeout: 20_000 })
  killed.kill('SIGKILL')
  const isAdded = () => control.commands.some((each) => each.includes(`Port=80,unix:${socketPath}`))
  await vi.waitUntil(isAdded, { timeout: 20_000 })
  expect(statSync(socketPath).mode & 0o777).toBe(0o666)
})

/** A process that listens at this socket. */
const fork = (socketPath: string) =>
  spawn(process.execPath, ['-e', `require('node:net').createServer().listen(${JSON.stringify(socketPath)})`])

test('a data folder whose path is too long for a socket has its sockets elsewhere, for this account alone', async () => {
  const dataFolder = path.join(newFolder(), 'x'.repeat(120))
  mkdirSync(dataFolder)
  const { onion } = await starts(dataFolder, { mode: 'required' })
  expect(onion.address()).toMatch(/\.onion$/)
})
