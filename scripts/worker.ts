import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build as esbuild } from 'esbuild'
import type { Plugin } from 'vite'
import { BUILD_ADDRESS, SERVICE_WORKER_ADDRESS } from '../contract/site/addresses.ts'
import { policyFor } from '../contract/site/policy.ts'
import { readFrameOrigin } from '../server/settings/cardsettings.ts'
import { readBucketUrl } from '../server/settings/s3settings.ts'
import { addIntegrity } from './integrity.ts'
import { describe, webcatManifest, writeWebcat } from './manifest.ts'

const root = path.resolve(import.meta.dirname, '..')

/**
 * Builds the service worker into one script, and writes what the client is made of: for that worker, which fetches and compares it, and
 * for WEBCAT. It comes last of the plugins: whatever is written after it is in no list.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir = '', minify }) {
        await esbuild({
          entryPoints: [path.join(root, 'client/sw/worker.ts')],
          outfile: path.join(dir, SERVICE_WORKER_ADDRESS),
          bundle: true,
          format: 'iife',
          target: 'es2023',
          minify: minify !== false,
          logLevel: 'warning',
        })
        const { name, version }: { name: string; version: string } = JSON.parse(
          readFileSync(path.join(root, 'package.json'), 'utf8'),
        )
        addIntegrity(dir)
        writeFileSync(path.join(dir, BUILD_ADDRESS), JSON.stringify(describe(dir, version)))
        const policy = policyFor(readBucketUrl(process.env), readFrameOrigin(process.env))
        writeWebcat(path.join(dir, '../webcat'), webcatManifest(dir, { app: name, version }, policy))
      },
    },
  }
}
