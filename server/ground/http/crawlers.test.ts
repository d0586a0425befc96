import { expect, test } from 'vitest'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

test('search engines are told of the pages for everybody alone, under the configured address, whatever host Eve names', async () => {
  const ask = async (path: string) => {
    const answer = await fetch(world.url + path, { headers: { host: 'eve.example', 'x-forwarded-host': 'eve.example' } })
    return answer.text()
  }
  const [robots, sitemap] = [await ask('/robots.txt'), await ask('/sitemap.xml')]
  expect(robots).toMatch(/^User-agent: [*]\n(Allow: .+\n)+Disallow: [/]\nSitemap: http:.+[/]sitemap[.]xml\n$/)
  expect(sitemap.match(/<loc>[^<]+/g)?.map((found) => new URL(found.slice(5)).pathname)).toEqual([
    '/',
    '/security',
    '/security/notices',
    '/security/protocol',
    '/security/threat-model',
    '/security/verify',
  ])
  expect(robots + sitemap).not.toContain('eve.example')
})
