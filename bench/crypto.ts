import path from 'node:path'
import { build } from 'esbuild'
import Fastify from 'fastify'
import { setHeaders } from '../server/ground/http/headers.ts'
import { readConfig } from '../server/settings/config.ts'
import type { Steps } from './chromium/testing.ts'
import { openChromium, setThrottle } from './chromium.ts'
import { type Ground, root } from './ground.ts'
import { median } from './numbers.ts'
import { type Row, row } from './row.ts'

const SLOWER = 4

/** Measures the MLS steps in Chromium under the product's Content-Security-Policy, at full speed and throttled four times. */
export async function measureCrypto({ isQuick }: Ground): Promise<Row[]> {
  const [rounds, messages, changes] = isQuick ? [1, 5, 1] : [7, 30, 4]
  const server = await servePage()
  const { page, close } = await openChromium()
  const full: Steps[] = []
  const slow: Steps[] = []
  try {
    await page.goto(server.url)
    await page.waitForFunction(() => 'runRound' in globalThis)
    // The first round warms up the JIT compiler.
    for (let round = -1; round < rounds; round++) {
      for (const [rate, kept] of [
        [1, full],
        [SLOWER, slow],
      ] as const) {
        await setThrottle(page, rate)
        const steps = await page.evaluate(([count, commits]) => globalThis.runRound(count, commits), [messages, changes] as const)
        if (round >= 0) kept.push(steps)
      }
    }
  } finally {
    await close()
    await server.close()
  }
  const step = (name: keyof Steps, words: string, atMost?: number) =>
    row('crypto', `${words}, ${SLOWER}x CPU throttle`, median(slow.map((each) => each[name])), 'ms', {
      ...(atMost !== undefined && { atMost }),
      note: `${median(full.map((each) => each[name])).toFixed(2)} ms without the throttle`,
    })
  return [
    step('seal', 'seal a message', 1.5),
    step('open', 'open a message', 1.8),
    step('commit', 'a commit', 18),
    step('apply', 'take the commit of another'),
    step('join', 'join from outside'),
  ]
}

/** Serves a page with the measured steps alone, with the product's headers. */
async function servePage() {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'bench/chromium/testing.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    // ts-mls imports Node's crypto as a fallback, which a browser does not need.
    external: ['node:crypto', 'crypto'],
    target: 'es2023',
    logLevel: 'error',
  })
  const http = Fastify()
  await setHeaders(http, readConfig({ PORT: '0' }))
  http.get('/', (_request, reply) =>
    reply.type('text/html').send('<!doctype html><script type="module" src="/page.js"></script>'),
  )
  http.get('/page.js', (_request, reply) => reply.type('text/javascript').send(outputFiles[0]?.text))
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  return { url, close: () => http.close() }
}
