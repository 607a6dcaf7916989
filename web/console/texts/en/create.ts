// Texts of the view Create that the menu needs. Those of the flow itself are in web/create/texts.

export const create = { title: "Create" };
