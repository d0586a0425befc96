import { Site } from './Site.tsx'

export interface NoticeLine {
  name: string
  version: string
  licence: string
}

/** The build names whose code and fonts the client has. A file beside the page has their full licences. */
export function Notices({ notices, file }: { notices: readonly NoticeLine[]; file: string }) {
  return (
    <Site>
      <div className="wrap">
        <article className="paper">
          <h1>What others wrote</h1>
          <p>
            The client has code and letters of {notices.length} works of others.{' '}
            <a href={file}>Their copyright notices and licences</a> stand in one text.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is moved by the keyboard */}
          <div className="table" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th>Work</th>
                  <th>Version</th>
                  <th>Licence</th>
                </tr>
              </thead>
              <tbody>
                {notices.map(({ name, version, licence }) => (
                  <tr key={`${name} ${version}`}>
                    <td>{name}</td>
                    <td>{version}</td>
                    <td>{licence}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </article>
      </div>
    </Site>
  )
}
