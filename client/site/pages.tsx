import { renderToStaticMarkup } from 'react-dom/server'
import { type NoticeLine, Notices } from './Notices.tsx'
import { Paper } from './Paper.tsx'
import { Security } from './Security.tsx'

// Runs in the build, never in a browser: the public pages as HTML.

interface PublicPage {
  /** The file in the built client. contract/site/pages.ts says at which address the server shows it. */
  file: string
  title: string
  description: string
  html: string
}

/** A document of docs/ as HTML. */
export interface Document {
  file: string
  title: string
  description: string
  html: string
}

/** Stands where the HTML of a document belongs. */
const PLACE = '%document%'

/** `file` is the address of the notices' whole texts. */
export const pages = (documents: Document[], notices: readonly NoticeLine[], file: string): PublicPage[] => [
  {
    file: 'security.html',
    title: 'Security · Conclave',
    description: 'Everything that Conclave claims, with what makes it true, the tests that prove it and what it does not cover.',
    html: renderToStaticMarkup(<Security />),
  },
  {
    file: 'notices.html',
    title: 'What others wrote · Conclave',
    description: 'The works of others that the client of Conclave has a part of, with their licences.',
    html: renderToStaticMarkup(<Notices notices={notices} file={file} />),
  },
  ...documents.map(({ html, ...document }) => ({
    ...document,
    html: renderToStaticMarkup(<Paper>{PLACE}</Paper>).replace(PLACE, () => html),
  })),
]
