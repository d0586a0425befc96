import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Place } from './networks.ts'

/** A relay in a place, with the configuration that `deploy/` ships. */
export interface Coturn {
  secret: string
  /** By the way that a browser takes to it. */
  urls: Record<'udp' | 'tcp' | 'tls', string>
  /** Chromium flags: its certificate is signed by itself. */
  words: string[]
}

export async function startCoturn(place: Place): Promise<Coturn> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-relay-'))
  const at = place.address()
  const secret = crypto.randomUUID()
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-days', '2', '-subj', '/CN=relay.test', '-addext', `subjectAltName=IP:${at}`]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject], {
    stdio: 'ignore',
  })
  const shipped = await readFile(join(import.meta.dirname, '../deploy/coturn/turnserver.conf'), 'utf8')
  const settings: [RegExp, string][] = [
    [/^static-auth-secret=.*$/m, `static-auth-secret=${secret}`],
    [/^realm=.*$/m, 'realm=relay.test'],
    [/^listening-port=.*$/m, `listening-port=3478\nlistening-ip=${at}\nrelay-ip=${at}`],
    [/^cert=.*$/m, `cert=${certificate}`],
    [/^pkey=.*$/m, `pkey=${key}`],
    [/^external-ip=.*$/m, `userdb=${join(folder, 'users')}\npidfile=${join(folder, 'pid')}`],
  ]
  const changed = settings.reduce((text, [setting, value]) => text.replace(setting, value), shipped)
  if (!settings.every(([setting]) => setting.test(shipped))) throw new Error('The shipped configuration has other settings')
  await writeFile(join(folder, 'turnserver.conf'), changed)
  place.runs('turnserver', ['-c', join(folder, 'turnserver.conf')])
  await place.listens(443)
  const { publicKey } = new X509Certificate(await readFile(certificate))
  const pin = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
  return {
    secret,
    urls: {
      udp: `turn:${at}:3478?transport=udp`,
      tcp: `turn:${at}:3478?transport=tcp`,
      tls: `turns:${at}:443?transport=tcp`,
    },
    words: [`--ignore-certificate-errors-spki-list=${pin}`],
  }
}
