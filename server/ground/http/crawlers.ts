import type { FastifyInstance, FastifyRequest } from 'fastify'
import { PAGES } from '../../../contract/site/pages.ts'
import type { Config } from '../../settings/config.ts'
import { listenerOf } from './listener.ts'

/** Addresses come from the settings, never from the Host header. */
export function serveCrawlers(app: FastifyInstance, config: Config): void {
  const originOf = ({ raw }: FastifyRequest) => listenerOf(config, raw.socket).origins(raw.socket.localPort)[0] ?? ''
  const addresses = Object.entries(PAGES).flatMap(([address, file]) => (file === null ? [] : [address]))
  app.get('/robots.txt', (request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(
        [
          'User-agent: *',
          'Allow: /$',
          'Allow: /assets/',
          'Allow: /security',
          'Disallow: /',
          `Sitemap: ${originOf(request)}/sitemap.xml`,
          '',
        ].join('\n'),
      ),
  )
  app.get('/sitemap.xml', (request, reply) => {
    const urls = addresses.map((address) => `<url><loc>${originOf(request)}${address}</loc></url>`)
    return reply
      .type('application/xml; charset=utf-8')
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`,
      )
  })
}
