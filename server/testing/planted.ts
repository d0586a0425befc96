import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { endpoint } from '../../contract/ground/endpoint.ts'
import { done, nothing } from '../../contract/ground/shapes.ts'
import type { Env } from '../env.ts'
import { serve, serveAnyone } from '../ground/http/serve.ts'

const received = z.object({ sizeBytes: z.number(), sha256: z.string(), signature: z.string().nullable() })

/** Calls for tests alone, with each access, assurance and kind of body that no call of the product has. */
export const planted = {
  admin: endpoint({
    method: 'GET',
    path: '/api/planted/admin',
    access: 'admin',
    summary: 'For administrators.',
    input: nothing,
    output: done,
  }),
  master: endpoint({
    method: 'GET',
    path: '/api/planted/master',
    access: 'master',
    summary: 'For the master plan.',
    input: nothing,
    output: done,
  }),
  device: endpoint({
    method: 'POST',
    path: '/api/planted/device',
    access: 'signed_in',
    assurance: 'device',
    summary: 'For sessions that a device signed for.',
    input: z.object({ word: z.string() }),
    output: done,
  }),
  recent: endpoint({
    method: 'POST',
    path: '/api/planted/recent',
    access: 'admin',
    assurance: 'recent',
    summary: 'For administrators who have just confirmed.',
    input: z.object({ word: z.string() }),
    output: done,
  }),
  raw: endpoint({
    method: 'POST',
    path: '/planted/webhook',
    access: 'anyone',
    summary: 'Takes signed bytes.',
    input: nothing,
    output: received,
    body: 'raw',
    bodyLimitBytes: 2048,
  }),
  stream: endpoint({
    method: 'PUT',
    path: '/planted/files/:name',
    access: 'signed_in',
    summary: 'Takes a file while it arrives.',
    input: z.object({ name: z.string().regex(/^[a-z]+$/, 'Only letters'), part: z.coerce.number().optional() }),
    output: received.extend({ name: z.string(), part: z.number().nullable() }),
    body: 'stream',
    bodyLimitBytes: 256 * 1024,
  }),
}

/** Errors with which the stream's verb could not read a body to its end. */
export const brokenUploads: unknown[] = []

export function plantEndpoints(app: FastifyInstance, env: Env): void {
  serve(app, env, planted.admin, () => ({}))
  serve(app, env, planted.master, () => ({}))
  serve(app, env, planted.device, () => ({}))
  serve(app, env, planted.recent, () => ({}))
  serveAnyone(app, env, planted.raw, ({ body, headers }) => ({
    sizeBytes: body.length,
    sha256: createHash('sha256').update(body).digest('hex'),
    signature: headers['x-signature']?.toString() ?? null,
  }))
  serve(app, env, planted.stream, async (_user, { name, part }, { body }) => {
    const hash = createHash('sha256')
    let sizeBytes = 0
    try {
      for await (const chunk of body) {
        hash.update(chunk)
        sizeBytes += chunk.length
      }
    } catch (error) {
      brokenUploads.push(error)
      throw error
    }
    return { name, part: part ?? null, sizeBytes, sha256: hash.digest('hex'), signature: null }
  })
}
