import { whoIsHere } from './known.ts'
import { MEASURES } from './measures.ts'

/** Measures what belongs to a claim when its evidence is opened, once. */
function measureWhenOpened(details: HTMLDetailsElement): void {
  const place = details.querySelector('.measured')
  if (!place) return
  details.addEventListener('toggle', () => void measure(details, place), { once: true })
}

async function measure(details: HTMLDetailsElement, place: Element): Promise<void> {
  const asked = (details.dataset['measures'] ?? '').split(' ')
  const waits = place.querySelector('.waits')
  if (waits) waits.textContent = 'Measuring…'
  try {
    const list = document.createElement('dl')
    for (const [name, make] of Object.entries(MEASURES)) {
      if (!asked.includes(name)) continue
      for (const line of await make()) {
        const [term, value] = [document.createElement('dt'), document.createElement('dd')]
        term.textContent = line.name
        value.textContent = line.value
        if (line.isExact) value.className = 'mono'
        list.append(term, value)
      }
    }
    waits?.replaceWith(list)
  } catch (error) {
    if (waits) waits.textContent = 'This could not be measured here. Reload the page to try again.'
    throw error
  }
}

/** People who are signed in need no link to sign in. */
async function greet(): Promise<void> {
  if (!(await whoIsHere())) return
  const link = document.createElement('a')
  Object.assign(link, { className: 'btn outline', href: '/', textContent: 'Open Conclave' })
  document.querySelector('.nav .acts')?.replaceChildren(link)
}

/** Opens the claim that the address names. */
function openAimed(): void {
  const aimed = document.getElementById(location.hash.slice(1))?.querySelector('details')
  if (aimed) aimed.open = true
}

/** Marks in the index the claim that is read: the first in the upper part of the window. */
function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.ledger nav a')]
  const seen = new Set<string>()
  const mark = () => {
    const read = links.find(({ hash }) => seen.has(hash)) ?? links.find((link) => link.ariaCurrent) ?? links[0]
    for (const link of links) link.ariaCurrent = link === read ? 'true' : null
  }
  const upper = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) seen[isIntersecting ? 'add' : 'delete'](`#${target.id}`)
      mark()
    },
    { rootMargin: '-5% 0px -70% 0px' },
  )
  for (const article of document.querySelectorAll('.ledger article')) upper.observe(article)
}

for (const details of document.querySelectorAll('details')) measureWhenOpened(details)
openAimed()
addEventListener('hashchange', openAimed)
followReading()
void greet()
