// Styles that scripts import: the build puts them beside the script.
declare module "*.css";
