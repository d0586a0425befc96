/** The browser and the system that a User-Agent names; '' where it names none that we know. */
export interface BrowserName {
  browser: string
  system: string
}

// The order decides: Edge and Opera also say Chrome, and all of them say Safari.
const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Returns the names in a User-Agent. They are words of these lists, so nothing else of the header is kept. */
export function browserOf(agent: string): BrowserName {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(agent))?.[1] ?? ''
  return { browser: find(BROWSERS), system: find(SYSTEMS) }
}
