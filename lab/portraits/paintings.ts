// The paintings of the gallery. Records: README.md.

/** What a painting is known as. */
export interface Work {
  title: string;
  /** With the years of birth and death. */
  painter: string;
  year: string;
  /** Where it hangs, with its number there. */
  museum: string;
}

/** A painting, as the catalogue lists it. Its image is `<id>.jpg`. */
export interface Painting {
  id: string;
  name: string;
  gender: "female" | "male";
  /** Of the sitter when it was painted, about. */
  age: number;
  tags: string[];
  voice: string;
  work: Work;
}

export const PAINTINGS: readonly Painting[] = [
  {
    id: "mona-lisa",
    name: "Mona Lisa",
    gender: "female",
    age: 24,
    tags: ["gioconda", "leonardo", "vinci", "louvre", "renaissance", "painting", "museum", "smile"],
    voice: "F3",
    work: {
      title: "Mona Lisa (La Gioconda)",
      painter: "Leonardo da Vinci (1452–1519)",
      year: "about 1503–1506",
      museum: "Musée du Louvre, Paris, INV 779",
    },
  },
  {
    id: "la-velata",
    name: "La Velata",
    gender: "female",
    age: 20,
    tags: ["raphael", "veil", "florence", "renaissance", "painting", "museum"],
    voice: "F1",
    work: {
      title: "La velata (The woman with the veil)",
      painter: "Raphael (1483–1520)",
      year: "about 1515",
      museum: "Palazzo Pitti, Galleria Palatina, Florence",
    },
  },
  {
    id: "lady-agnew",
    name: "Lady Agnew",
    gender: "female",
    age: 27,
    tags: ["sargent", "scottish", "aristocrat", "victorian", "painting", "museum"],
    voice: "F2",
    work: {
      title: "Lady Agnew of Lochnaw",
      painter: "John Singer Sargent (1856–1925)",
      year: "1892",
      museum: "Scottish National Gallery, Edinburgh, NG 1656",
    },
  },
  {
    id: "elizabeth-chanler",
    name: "Elizabeth Chanler",
    gender: "female",
    age: 26,
    tags: ["sargent", "heiress", "victorian", "painting", "museum"],
    voice: "F4",
    work: {
      title: "Elizabeth Winthrop Chanler",
      painter: "John Singer Sargent (1856–1925)",
      year: "1893",
      museum: "Smithsonian American Art Museum, Washington, 1980.71",
    },
  },
];
