import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../testing/world.ts'
import { isPublicAddress } from './addresses.ts'
import { makeOutbound } from './outbound.ts'

const INNER = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.8.8.8', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.8', '192.168.1.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '239.1.1.1'],
  ...['240.0.0.1', '255.255.255.255'],
  ...[
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '100::1',
    '2001:0:1::1',
    '2001:db8::1',
  ],
  // IPv4 written as IPv6 without a prefix of its own, translated (NAT64), tunnelled (6to4, Teredo), and what nobody was given.
  ...['::8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b::808:808', '64:ff9b:1::808:808', '2002:808:808::1', '2001::1', '1::1', '4000::1'],
  ...['2002:7f00:1::', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '3fff::1'],
]
const OUTER = ['8.8.8.8', '93.184.215.14', '100.128.0.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:800::200a']

const guarded = makeOutbound({ isGuarded: true, resolve: async () => [] })
const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address)

/** An HTTP server on this machine, and how often it was asked. */
async function serves(answer: RequestListener) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`)
    answer(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: portOf(server.address()), asked }
}

test.each(INNER)('the server asks nobody at %s, however the address is brought', async (address) => {
  expect(isPublicAddress(address)).toBe(false)
  const named = makeOutbound({ isGuarded: true, resolve: async () => ['93.184.215.14', address] })
  await expect(guarded.check(`https://${hostOf(address)}/`)).rejects.toMatchObject({ code: 'forbidden_address' })
  await expect(named.check('https://push.example/')).rejects.toMatchObject({ code: 'forbidden_address' })
  const request = { method: 'GET', headers: {}, answerBytes: 0 } as const
  await expect(named.send('https://push.example/', request)).rejects.toMatchObject({ code: 'forbidden_address' })
})

test.each(OUTER)('%s on the public internet is no forbidden address', async (address) => {
  expect(isPublicAddress(address)).toBe(true)
  const named = makeOutbound({ isGuarded: true, resolve: async () => [address] })
  expect(await named.check('https://push.example/one?two')).toBe('https://push.example/one?two')
})

test.each([
  ...['http://push.example/', 'https://push.example:8443/', 'https://push.example:22/', 'https://eve@push.example/'],
  ...['https://eve:word@push.example/', 'ftp://push.example/', 'file:///etc/passwd', 'push.example', '', 'https://'],
  ...[
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://１２７.0.0.1/',
    'https://[::ffff:7f00:1]/',
  ],
])('%s is refused, whatever its name leads to', async (address) => {
  const named = makeOutbound({ isGuarded: true, resolve: async () => ['93.184.215.14'] })
  await expect(named.check(address)).rejects.toMatchObject({ code: 'forbidden_address' })
})

test('a name that leads nowhere is refused in the same words as one of the inner network', async () => {
  const words = async (addresses: string[]) =>
    await makeOutbound({ isGuarded: true, resolve: async () => addresses })
      .check('https://push.example/')
      .catch(String)
  expect(await words([])).toBe(await words(['10.0.0.1']))
})

test('a request goes to the addresses that were checked: a name that leads elsewhere a moment later changes nothing', async () => {
  const { port, asked } = await serves((_request, response) => response.end('here'))
  let looks = 0
  const resolve = async () => (++looks === 1 ? ['127.0.0.1'] : ['192.0.2.1'])
  const outbound = makeOutbound({ isGuarded: false, resolve })
  const answer = await outbound.send(`http://push.example:${port}/in`, { method: 'GET', headers: {}, answerBytes: 10 })
  expect(answer).toMatchObject({ status: 200, text: 'here' })
  expect([looks, asked]).toEqual([1, [`push.example:${port}/in`]])
})

test('a redirect is answered as it is and not followed', async () => {
  const inner = await serves((_request, response) => response.end('a secret'))
  const { port } = await serves((_request, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` }).end(),
  )
  const request = { method: 'POST', headers: {}, body: 'x', answerBytes: 100 } as const
  const answer = await makeOutbound({ isGuarded: false }).send(`http://127.0.0.1:${port}/`, request)
  expect([answer.status, answer.text, inner.asked]).toEqual([302, '', []])
})

test('of an answer without an end the first bytes are read, or none', async () => {
  const { port } = await serves((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  })
  const outbound = makeOutbound({ isGuarded: false })
  const read = (answerBytes: number) => outbound.send(`http://127.0.0.1:${port}/`, { method: 'GET', headers: {}, answerBytes })
  expect((await read(1000)).text).toBe('x'.repeat(1000))
  expect((await read(0)).text).toBe('')
})

test('who does not answer is left after the limit, also in the middle of an answer and while a name is looked up', async () => {
  const silent = await serves(() => undefined)
  const slow = await serves((_request, response) => void response.write('x'))
  const quick = { isGuarded: false, limitMs: 200 }
  const request = { method: 'GET', headers: {}, answerBytes: 10 } as const
  for (const { port } of [silent, slow])
    await expect(makeOutbound(quick).send(`http://127.0.0.1:${port}/`, request)).rejects.toThrow(/abort/i)
  const never = () => new Promise<string[]>(() => undefined)
  await expect(makeOutbound({ ...quick, resolve: never }).send('http://push.example/', request)).rejects.toThrow()
})
